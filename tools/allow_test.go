package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

func TestApprovals(t *testing.T) {
	for _, c := range []struct {
		name     string
		from     tools.Origin
		approver *toolstest.Approver
		ran      int
		text     string
		records  []string
	}{
		{"once", toolstest.Person, &toolstest.Approver{Answer: tools.AnswerOnce}, 1, "[exit 0", []string{
			"decision exec ask test.ask a1", "decision exec allow test.ask a1 once", "act exec allow test.ask a1 once ok",
		}},
		{"session", toolstest.Person, &toolstest.Approver{Answer: tools.AnswerSession}, 1, "[exit 0", []string{
			"decision exec ask test.ask a1", "decision exec allow test.ask a1 session", "act exec allow test.ask a1 session ok",
		}},
		{"always", toolstest.Person, &toolstest.Approver{Answer: tools.AnswerAlways}, 1, "[exit 0", []string{
			"decision exec ask test.ask a1", "decision exec allow test.ask a1 always", "act exec allow test.ask a1 always ok",
		}},
		{"deny", toolstest.Person, &toolstest.Approver{Answer: tools.AnswerDeny}, 0, "refused: a person said no to question a1 (rule approval.denied)", []string{
			"decision exec ask test.ask a1", "decision exec deny approval.denied a1 deny",
		}},
		{"an answer that is none", toolstest.Person, &toolstest.Approver{Answer: "yes please"}, 0, "refused: a person said no", []string{
			"decision exec ask test.ask a1", "decision exec deny approval.denied a1 deny",
		}},
		{"expired", toolstest.Person, &toolstest.Approver{Answer: tools.AnswerExpired}, 0, "refused: question a1 got no answer within 10m (approvals.deadline) (rule approval.expired)", []string{
			"decision exec ask test.ask a1", "decision exec deny approval.expired a1 expired",
		}},
		{"error", toolstest.Person, &toolstest.Approver{Answer: tools.AnswerOnce, Err: errors.New("no terminal")}, 0, "refused: this needs a person's approval and the question could not be put: no terminal", []string{
			"decision exec ask test.ask a1", "decision exec deny approval.not-asked a1 deny",
		}},
		{"Case131 nobody present", tools.Origin{Run: "cron"}, &toolstest.Approver{Answer: tools.AnswerOnce}, 0, "refused: this needs a person's approval and no person is present: the test says ask (rule approval.nobody-present)", []string{
			"decision exec deny approval.nobody-present",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDoor(t)
			d.Policy.Judge = toolstest.Always(policy.Ask).Judge
			d.With(func(cfg *tools.Config) { cfg.Approver = c.approver })
			got, err := d.Call(t.Context(), c.from, tools.Call{ID: "c1", Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(got.Text, c.text) {
				t.Errorf("text %q, want it to begin with %q", got.Text, c.text)
			}
			toolstest.Diff(t, "commands", len(d.Launcher.Ran), c.ran)
			toolstest.Diff(t, "records", d.Kept(), c.records)
			if c.from.Attended {
				toolstest.Diff(t, "approval id", got.Approval, "a1")
				toolstest.Diff(t, "deadline", c.approver.Asked[0].Deadline, toolstest.Noon.Add(d.Config.Deadline))
			} else if len(c.approver.Asked) != 0 {
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
		d.Policy.Judge = toolstest.Always(policy.Ask).Judge
		d.Approver.Answer, d.Auditor.Fail = tools.AnswerOnce, c.fail
		d.With(func(cfg *tools.Config) { cfg.NextQuestion = func() (string, error) { return "a7", c.number } })
		res, err := d.Call(t.Context(), toolstest.Person, tools.Call{Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
		if err == nil || err.Error() != c.want || !errors.Is(err, full) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		toolstest.Diff(t, "asked, ran", []int{len(d.Approver.Asked), len(d.Launcher.Ran)}, []int{c.asked, 0})
		toolstest.Diff(t, "result", res, tools.Result{})
	}
	d := newDoor(t)
	d.Policy.Judge = toolstest.Always(policy.Ask).Judge
	d.Approver.Answer = tools.AnswerOnce
	d.With(func(cfg *tools.Config) { cfg.NextQuestion = func() (string, error) { return "a7", nil } })
	toolstest.Diff(t, "its number", d.Do(t, "exec", `{"argv":["true"]}`).Approval, "a7")
}

// A tool may refuse in the act what Prepare could not see: that is on record as
// refused, by its own rule, and no success.
func TestRefusalInTheActIsOnRecord(t *testing.T) {
	d := newDoor(t, &toolstest.Tool{Name: "gpio", Prepared: func(json.RawMessage) (tools.Prepared, error) {
		return tools.Prepared{Do: func(context.Context, tools.Judged, func(string)) (tools.Output, error) {
			return tools.Output{Text: "done"}, &tools.Refusal{Rule: "gpio.busy", Reason: "the line is held", Hint: "wait"}
		}}, nil
	}})
	got := d.Do(t, "gpio", `{"pin":"J7"}`)
	toolstest.Diff(t, "result", []any{got.Outcome, got.Text}, []any{tools.Refused, "refused: the line is held (rule gpio.busy)\nhint: wait"})
	toolstest.Diff(t, "records", d.Kept(), []string{"decision gpio allow test.allow", "act gpio deny gpio.busy  refused"})
}
