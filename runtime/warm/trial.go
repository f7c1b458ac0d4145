package warm

import (
	"fmt"
	"math"
	"time"

	"hardshell/runtime/model"
)

// A server that does not say what it reuses shows it by the time that reading took,
// and one time says little: a board is slow under load, and a small model so fast that
// a cold reading looks like a warm one. So each trial compares three times of one
// prompt from one moment: behind the other prompt; once more with nothing in between,
// which every server has in its cache; and as it takes to read all of it. What lies
// nearer to the one or the other is a vote. Trials go on until both prompts, or one of
// them, are far enough ahead. What isn't told then counts as one slot: that costs time
// and loses nothing.

const (
	// trialsMost bounds the trials of each prompt, trialsMute those of a server whose
	// times say nothing at all.
	trialsMost, trialsMute = 24, 6
	// trialLead is how many votes more settle it for two slots, trialAgainst for one:
	// what holds a board up makes a warm reading look cold, and none the other way.
	trialLead, trialAgainst = 2, 4
	// trialGap is how many times longer a cold reading must take than a warm one for
	// a trial to say anything.
	trialGap = 4
	// trialCostly is a time that no warm reading takes by accident.
	trialCostly = time.Second
)

// trial is one prompt read again.
type trial struct {
	behind time.Duration // behind the other prompt
	again  time.Duration // the shorter of two with nothing in between
	cold   time.Duration // all of it, by the fastest reading so far that was none of a warm prompt
}

// vote is positive when the prompt stayed in its slot, negative when it was read
// again, and 0 when the times don't say.
func (t trial) vote() int {
	warm := max(t.again, time.Microsecond)
	if t.cold == 0 {
		return 0
	}
	switch middle := math.Sqrt(float64(warm) * float64(t.cold)); {
	case float64(t.behind) < middle:
		return 1
	case t.behind >= trialCostly && t.behind >= trialGap*trialGap*warm:
		return -trialAgainst
	}
	return -1
}

// String tells the times.
func (t trial) String() string {
	short := func(d time.Duration) time.Duration { return d.Round(max(d/100, time.Microsecond)) }
	if t.cold == 0 {
		return fmt.Sprintf("%v behind the other one and %v by itself", short(t.behind), short(t.again))
	}
	return fmt.Sprintf("%v behind the other one and %v by itself, where all of it takes %v", short(t.behind), short(t.again), short(t.cold))
}

// The two prompts of a trial.
const (
	mainPrompt = iota
	subPrompt
)

// promptNames are what a person calls them.
var promptNames = [2]string{"the main prompt", "a sub-agent's prompt"}

// trials finds out whether two prompts keep a slot each, by the time that read tells;
// first is the main prompt's, read behind the other one, and before are the readings
// before that. A Count of 0 is undecided.
func trials(first model.Usage, read func(which int) (model.Usage, error), before ...model.Usage) (Slots, error) {
	var score [2]int
	mute := true
	for n := 1; ; n++ {
		for which := range score {
			u, err := first, error(nil)
			if n > 1 || which != mainPrompt {
				u, err = read(which)
			}
			if err != nil {
				return Slots{}, err
			}
			before = append(before, u)
			one, err := tryOnce(u, read, which, before)
			if err != nil {
				return Slots{}, err
			}
			score[which] += one.vote()
			mute = mute && one.cold == 0
			told := fmt.Sprintf("by the time that it took, %s: %v (trial %d)", promptNames[which], one, n)
			switch {
			case score[which] <= -trialAgainst:
				return Slots{Count: 1, Why: told}, nil
			case which == subPrompt && min(score[mainPrompt], score[subPrompt]) >= trialLead:
				return Slots{Count: 2, Why: told}, nil
			case which == subPrompt && (n == trialsMost || mute && n == trialsMute):
				return Slots{Why: "not told " + told}, nil
			}
		}
	}
}

// tryOnce makes a trial of a prompt that was read behind the other one. A reading of
// either that took far longer than a warm one was cold, or one that the board held up;
// the fastest of them is the least held up, so that nothing looks warm beside it that
// was cold as well.
func tryOnce(u model.Usage, read func(which int) (model.Usage, error), which int, all []model.Usage) (trial, error) {
	t := trial{behind: u.PromptEval}
	for i := range 2 {
		more, err := read(which)
		if err != nil {
			return trial{}, err
		}
		if i == 0 || more.PromptEval < t.again {
			t.again = more.PromptEval
		}
	}
	for _, one := range all {
		took := perTokenOf(one) * time.Duration(u.Prompt)
		if took >= trialGap*max(t.again, time.Microsecond) && (t.cold == 0 || took < t.cold) {
			t.cold = took
		}
	}
	return t, nil
}

// perTokenOf is what a token of a prompt took.
func perTokenOf(u model.Usage) time.Duration {
	return u.PromptEval / time.Duration(max(u.Prompt, 1))
}
