package runtime

import (
	"encoding/json"
	"fmt"

	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/session"
)

// cutShort says how the turn before this one ended, where it did not end with a whole
// answer: for the model, which would take a piece for an answer, and after a death of
// the process for the person, whom nobody has told.
type cutShort struct {
	fact    string // for the turn context, empty when the answer was whole
	notices []event.Notice
}

// lookBack notes how the turn before ended, and starts the session anew where that was
// asked for.
func (t *turn) lookBack(s *session.Session) (err error) {
	if t.before, err = cutBefore(s); err != nil || !t.ask.New {
		return err
	}
	t.before.fact = "" // a new conversation knows of no answer
	return s.Reset()
}

// cutBefore looks at what a session holds before a turn adds to it. The record of the
// turn before is read only where its last message is no whole answer.
func cutBefore(s *session.Session) (cutShort, error) {
	if id := s.Torn(); id != "" {
		const by = "the agent's process ended in the middle of it (kill, crash or power loss)"
		return cutShort{
			fact: "your answer before was cut: " + by + "; what it said may be lost, and what its last call did is not certain",
			notices: []event.Notice{{
				Code: "turn_cut", Message: fmt.Sprintf("turn %s was cut: %s", id, by),
				Hint: "what was on record by then is kept; look at what its last call did before you ask again",
			}},
		}, nil
	}
	msgs := s.Messages()
	if len(msgs) == 0 || s.LastTurn() == "" {
		return cutShort{}, nil
	}
	last := msgs[len(msgs)-1]
	if last.Role == message.Assistant && last.Cut == "" && len(last.Calls) == 0 {
		return cutShort{}, nil
	}
	rec, ok, err := s.Turn(s.LastTurn())
	if err != nil || !ok {
		return cutShort{}, err
	}
	var rep Remarks
	if err := json.Unmarshal(rec.Report, &rep); err != nil {
		rep = Remarks{} // the reason is a detail
	}
	switch whole := rec.Status == Done || rec.Status == RefusedTurn; {
	case whole && last.Cut == "limit" && len(rep.Requests) > 0:
		return cutShort{fact: fmt.Sprintf("your answer before was cut at the limit model.num_predict = %d tokens", rep.Requests[len(rep.Requests)-1].Output)}, nil
	case whole && last.Cut != "":
		return cutShort{fact: "your answer before was cut: " + last.Cut}, nil
	case whole:
		return cutShort{}, nil
	}
	what := "ended without an answer"
	if last.Cut != "" {
		what = "was cut"
	}
	why := rec.Status
	if rep.Problem != nil {
		why = rep.Problem.Message
	}
	return cutShort{fact: "your answer before " + what + ": " + why}, nil
}
