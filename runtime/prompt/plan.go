package prompt

import (
	"encoding/json"
	"fmt"

	"hardshell/runtime/session"
)

// keyPlan is the fact by which a session knows which plan the model has read.
const keyPlan = "plan"

// SetPlan keeps the plan of a session, one line for each step; an empty one takes it
// away. The model has just written it, so it is no news to it until a compaction
// leaves its words out.
func SetPlan(s *session.Session, steps []string) error {
	value := ""
	if len(steps) > 0 {
		b, err := json.Marshal(steps)
		if err != nil {
			return fmt.Errorf("encode the plan: %w", err)
		}
		value = string(b)
	}
	if err := s.Keep(session.PlanKey, value); err != nil {
		return err
	}
	_, err := s.Delivered(keyPlan, value)
	return err
}

// Plan is the plan of a session, nil when there is none.
func Plan(s *session.Session) []string {
	var steps []string
	if json.Unmarshal([]byte(s.Kept(session.PlanKey)), &steps) != nil {
		return nil
	}
	return steps
}

// newPlan is the plan where the model does not know it any more.
func newPlan(s *session.Session) ([]string, error) {
	steps := Plan(s)
	if len(steps) == 0 {
		return nil, nil
	}
	told, err := s.Delivered(keyPlan, s.Kept(session.PlanKey))
	if told || err != nil {
		return nil, err
	}
	return steps, nil
}
