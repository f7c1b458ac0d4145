package warm

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hardshell/runtime/model"
)

// noisy is a server with slots as far as its times go: it reads a prompt warm where a
// slot holds it and cold where none does, and each reading takes what noise makes of
// it.
type noisy struct {
	slots  []int // the prompt that each holds
	oldest int
	warm   time.Duration
	cold   time.Duration
	noise  func() float64
	reads  int
}

func (s *noisy) read(which int) (model.Usage, error) {
	s.reads++
	took := s.warm
	held := -1
	for i, p := range s.slots {
		if p == which {
			held = i
		}
	}
	if held < 0 {
		took, held = s.cold, s.oldest
		s.slots[held] = which
	}
	s.oldest = (held + 1) % len(s.slots)
	return model.Usage{Prompt: 1000, PromptEval: time.Duration(float64(took) * s.noise())}, nil
}

// run seeds and lets the trials decide. Where the order was turned round the main
// prompt was read last.
func (s *noisy) run(turned bool) (Slots, error) {
	order := []int{mainPrompt, subPrompt}
	if turned {
		order = []int{subPrompt, mainPrompt}
	}
	var before []model.Usage
	for i, p := range order {
		s.slots[i%len(s.slots)] = -1
		u, err := s.read(p)
		if err != nil {
			return Slots{}, err
		}
		before = append(before, u)
	}
	u, err := s.read(mainPrompt)
	if err != nil {
		return Slots{}, err
	}
	return trials(u, s.read, before...)
}

func newNoisy(slots int, warm time.Duration, ratio float64, noise func() float64) *noisy {
	s := &noisy{slots: make([]int, slots), warm: warm, cold: time.Duration(float64(warm) * ratio), noise: noise}
	for i := range s.slots {
		s.slots[i] = -1
	}
	return s
}

// Where each reading takes up to n times as long as it should, slots are always found
// for what they are: one, as soon as a cold reading takes 4n times a warm one, and two,
// as soon as n is below 4 and it takes 16 times as long.
func TestTrials_BoundedNoiseNeverErrs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 2).Draw(t, "slots")
		most := rapid.Float64Range(1, []float64{100, trialGap - 0.1}[slots-1]).Draw(t, "noise")
		ratio := rapid.Float64Range(1.01, 20).Draw(t, "margin") * []float64{trialGap * most, trialGap * trialGap}[slots-1]
		warm := time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(200*time.Millisecond)).Draw(t, "warm"))
		s := newNoisy(slots, warm, ratio, func() float64 { return rapid.Float64Range(1, most).Draw(t, "one") })
		found, err := s.run(rapid.Bool().Draw(t, "turned"))
		if err != nil || found.Count != slots {
			t.Fatalf("%d slots: %+v, %v", slots, found, err)
		}
	})
}

// Whatever the times, the trials end, and no server whose two readings look alike is
// believed to have two slots.
func TestTrials_AlikeIsUndecided(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 2).Draw(t, "slots")
		warm := time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "warm"))
		s := newNoisy(slots, warm, rapid.Float64Range(1, 1.9).Draw(t, "ratio"), func() float64 { return rapid.Float64Range(1, 2).Draw(t, "one") })
		found, err := s.run(rapid.Bool().Draw(t, "turned"))
		if err != nil || found.Count != 0 || !strings.HasPrefix(found.Why, "not told by the time") || s.reads != 2+trialsMute*6 {
			t.Fatalf("%+v, %v after %d readings", found, err, s.reads)
		}
	})
}

// On a busy board times have no bound: most readings take up to twice as long, one in
// ten up to a hundred times. One slot is then never taken for two, and two slots are
// nearly always found.
func TestTrials_OnABusyBoard(t *testing.T) {
	const runs = 4000
	for _, ratio := range []float64{20, 100, 1000} {
		r := rand.New(rand.NewPCG(1, uint64(ratio)))
		noise := func() float64 {
			n := 1 + r.ExpFloat64()/3
			if r.Float64() < 0.1 {
				n *= math.Pow(100, r.Float64())
			}
			return n
		}
		wrong, found := 0, 0
		for i := range runs {
			one, err := newNoisy(1, 5*time.Millisecond, ratio, noise).run(i%2 == 0)
			if err != nil {
				t.Fatal(err)
			}
			two, err := newNoisy(2, 5*time.Millisecond, ratio, noise).run(i%2 == 0)
			if err != nil {
				t.Fatal(err)
			}
			if one.Count == 2 {
				wrong++
			}
			if two.Count == 2 {
				found++
			}
		}
		t.Logf("cold takes %v times a warm reading: one slot taken for two in %d, two slots found in %d of %d", ratio, wrong, found, runs)
		if wrong > 0 || found < 95*runs/100 {
			t.Error("want none of the first and nearly all of the second")
		}
	}
}
