package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"hardshell/policy"
)

func TestApprovals(t *testing.T) {
	for _, c := range []struct {
		name     string
		from     Origin
		approver *fakeApprover
		ran      int
		text     string
		records  []string
	}{
		{"once", person, &fakeApprover{answer: AnswerOnce}, 1, "[exit 0", []string{
			"decision exec ask test.ask a1", "decision exec allow test.ask a1 once", "act exec allow test.ask a1 once ok",
		}},
		{"session", person, &fakeApprover{answer: AnswerSession}, 1, "[exit 0", []string{
			"decision exec ask test.ask a1", "decision exec allow test.ask a1 session", "act exec allow test.ask a1 session ok",
		}},
		{"always", person, &fakeApprover{answer: AnswerAlways}, 1, "[exit 0", []string{
			"decision exec ask test.ask a1", "decision exec allow test.ask a1 always", "act exec allow test.ask a1 always ok",
		}},
		{"deny", person, &fakeApprover{answer: AnswerDeny}, 0, "refused: a person said no to question a1 (rule approval.denied)", []string{
			"decision exec ask test.ask a1", "decision exec deny approval.denied a1 deny",
		}},
		{"an answer that is none", person, &fakeApprover{answer: "yes please"}, 0, "refused: a person said no", []string{
			"decision exec ask test.ask a1", "decision exec deny approval.denied a1 deny",
		}},
		{"expired", person, &fakeApprover{answer: AnswerExpired}, 0, "refused: question a1 got no answer within 10m (approvals.deadline) (rule approval.expired)", []string{
			"decision exec ask test.ask a1", "decision exec deny approval.expired a1 expired",
		}},
		{"error", person, &fakeApprover{answer: AnswerOnce, err: errors.New("no terminal")}, 0, "refused: this needs a person's approval and the question could not be put: no terminal", []string{
			"decision exec ask test.ask a1", "decision exec deny approval.not-asked a1 deny",
		}},
		{"Case131 nobody present", Origin{Run: "cron"}, &fakeApprover{answer: AnswerOnce}, 0, "refused: this needs a person's approval and no person is present: the test says ask (rule approval.nobody-present)", []string{
			"decision exec deny approval.nobody-present",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDoor(t)
			d.policy.decide = always(policy.Ask).decide
			d.cfg.Approver = c.approver
			got, err := d.Call(t.Context(), c.from, Call{ID: "c1", Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(got.Text, c.text) {
				t.Errorf("text %q, want it to begin with %q", got.Text, c.text)
			}
			diff(t, "commands", len(d.launcher.ran), c.ran)
			diff(t, "records", d.records(), c.records)
			if c.from.Attended {
				diff(t, "approval id", got.Approval, "a1")
				diff(t, "deadline", c.approver.asked[0].Deadline, noon.Add(d.cfg.Deadline))
			} else if len(c.approver.asked) != 0 {
				t.Error("asked although nobody is present")
			}
		})
	}
}

// A question that has no number, or that is not on record, is never put, and nothing
// is done.
func TestQuestionThatCantBeKeptIsNotPut(t *testing.T) {
	full := errors.New("no space left")
	for _, c := range []struct {
		number error
		fail   map[int]error
		want   string
		asked  int
	}{
		{number: full, want: "the question can't be kept, so exec was not done: no space left"},
		{fail: map[int]error{1: full}, want: "the audit can't be kept, so exec was not done: no space left"},
		{fail: map[int]error{2: full}, want: "the audit can't be kept, so exec was not done: no space left", asked: 1},
	} {
		d := newDoor(t)
		d.policy.decide = always(policy.Ask).decide
		d.approver.answer, d.auditor.fail = AnswerOnce, c.fail
		d.cfg.NextQuestion = func() (string, error) { return "a7", c.number }
		res, err := d.Call(t.Context(), person, Call{Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
		if err == nil || err.Error() != c.want || !errors.Is(err, full) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		diff(t, "asked, ran", []int{len(d.approver.asked), len(d.launcher.ran)}, []int{c.asked, 0})
		diff(t, "result", res, Result{})
	}
	d := newDoor(t)
	d.policy.decide = always(policy.Ask).decide
	d.approver.answer = AnswerOnce
	d.cfg.NextQuestion = func() (string, error) { return "a7", nil }
	diff(t, "its number", d.call(t, "exec", `{"argv":["true"]}`).Approval, "a7")
}

// A tool may refuse in the act what its plan could not see: that is on record as
// refused, by its own rule, and no success.
func TestRefusalInTheActIsOnRecord(t *testing.T) {
	d := newDoor(t, &fakeTool{name: "gpio", plan: func(json.RawMessage) (Plan, error) {
		return Plan{Do: func(context.Context, Judged, func(string)) (Output, error) {
			return Output{Text: "done"}, &Refusal{Rule: "gpio.busy", Reason: "the line is held", Hint: "wait"}
		}}, nil
	}})
	got := d.call(t, "gpio", `{"pin":"J7"}`)
	diff(t, "result", []any{got.Outcome, got.Text}, []any{Refused, "refused: the line is held (rule gpio.busy)\nhint: wait"})
	diff(t, "records", d.records(), []string{"decision gpio allow test.allow", "act gpio deny gpio.busy  refused"})
}
