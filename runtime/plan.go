package runtime

import (
	"context"
	"encoding/json"
	"fmt"

	"hardshell/runtime/session"
)

// keyPlan is the fact by which a session knows which plan the model has read.
const keyPlan = "plan"

// SetPlan keeps the plan of a session, one line for each step; an empty one takes it
// away. The model has just written it, so it is no news to it until a compaction
// leaves its words out.
func (a *Agent) SetPlan(_ context.Context, id string, steps []string) error {
	s, err := a.session(a.own(id))
	if err != nil {
		return err
	}
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
	_, err = s.Told(keyPlan, value)
	return err
}

// plan is the plan of a session, nil when there is none.
func plan(s *session.Session) []string {
	var steps []string
	if json.Unmarshal([]byte(s.Kept(session.PlanKey)), &steps) != nil {
		return nil
	}
	return steps
}

// newPlan is the plan where the model does not know it any more.
func (t *turn) newPlan() ([]string, error) {
	steps := plan(t.s)
	if len(steps) == 0 {
		return nil, nil
	}
	told, err := t.s.Told(keyPlan, t.s.Kept(session.PlanKey))
	if told || err != nil {
		return nil, err
	}
	return steps, nil
}
