package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hardshell/policy"
)

func TestSpecsStandInTheFixedOrder(t *testing.T) {
	d := newDoor(t, &fakeTool{name: "zeta"}, &fakeTool{name: "cron"}, &fakeTool{name: "gpio"}, &fakeTool{name: "alpha"})
	names := func() (out []string) {
		for _, s := range d.Specs() {
			out = append(out, s.Name)
		}
		return out
	}
	diff(t, "all", names(), []string{"exec", "read", "write", "edit", "gpio", "cron", "session_status", "alpha", "zeta"})
	d.policy.hide = map[string]bool{"exec": true, "zeta": true}
	diff(t, "without exec and zeta", names(), []string{"read", "write", "edit", "gpio", "cron", "session_status", "alpha"})
}

func TestTwoToolsOfOneNameAreAFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewRegistry(Config{Tools: []Tool{&fakeTool{name: "gpio"}, &fakeTool{name: "gpio"}}})
}

// records keeps of each record what tells the story of a call.
func (d *door) records() (out []string) {
	for _, r := range d.auditor.records {
		out = append(out, strings.TrimSpace(strings.Join([]string{r.Kind, r.Tool, r.Verdict, r.Rule, r.Approval, r.Outcome}, " ")))
	}
	return out
}

func TestAllowedCallActsAfterItsRecord(t *testing.T) {
	d := newDoor(t)
	d.file(t, "log.txt", "boot ok\n")
	d.auditor.onEach = func(r policy.Record) {
		if r.Kind == "decision" {
			if _, err := os.Stat(filepath.Join(d.dir, "out.txt")); err == nil {
				t.Error("acted before the decision was on record")
			}
		}
	}
	got := d.call(t, "write", `{"path":"out.txt","content":"x"}`)
	diff(t, "result", got, Result{
		Outcome: OK, Text: "created out.txt, 1 bytes, 1 lines",
		Decision: policy.Decision{Verdict: policy.Allow, Rule: "test.allow", Reason: "allowed in tests"},
	})
	action := policy.Action{Tool: "write", Kind: &policy.File{Op: policy.Write, Path: "out.txt"}}
	base := policy.Record{
		Time: noon, Agent: "main", Session: "main", Turn: "t1", Run: "chat", Call: "c1", Tool: "write",
		Subject: "write out.txt", Digest: action.Digest(), Verdict: "allow", Rule: "test.allow", Reason: "allowed in tests",
	}
	decision, act := base, base
	decision.Kind, act.Kind, act.Outcome = "decision", "act", "ok"
	diff(t, "records", d.auditor.records, []policy.Record{decision, act})
	diff(t, "facts", d.policy.facts, []policy.Facts{{
		Now: noon, Agent: "main", Session: "main", Run: "chat", Attended: true,
		Programs: map[string]policy.Program{},
		Paths:    map[string]policy.Path{"out.txt": {Abs: d.dir + "/out.txt", Real: d.dir + "/out.txt"}},
		Globs:    map[string][]string{},
		Roots:    map[string]string{"workspace": d.dir},
		Used:     map[string][]time.Time{},
	}})
}

func TestRefusalCarriesReasonRuleAndHint(t *testing.T) {
	d := newDoor(t)
	d.policy.decide = always(policy.Deny).decide
	got := d.call(t, "exec", `{"argv":["reboot"]}`)
	diff(t, "text", got.Text, "refused: the test says deny (rule test.deny)\nhint: do something else")
	diff(t, "outcome", got.Outcome, Refused)
	diff(t, "commands", len(d.launcher.ran), 0)
	diff(t, "records", d.records(), []string{"decision exec deny test.deny"})
}

func TestZeroDecisionDenies(t *testing.T) {
	d := newDoor(t)
	d.policy.decide = func(policy.Action, policy.Facts) policy.Decision { return policy.Decision{} }
	if got := d.call(t, "exec", `{"argv":["true"]}`); got.Outcome != Refused || len(d.launcher.ran) != 0 {
		t.Errorf("got %+v, ran %d", got, len(d.launcher.ran))
	}
}

func TestPolicyThatBreaksDenies(t *testing.T) {
	d := newDoor(t)
	d.policy.decide = func(policy.Action, policy.Facts) policy.Decision { panic("bad rule") }
	got := d.call(t, "exec", `{"argv":["true"]}`)
	diff(t, "text", got.Text, "refused: policy broke on this action (bad rule) (rule internal)\nhint: report this as a fault of hardshell")
	diff(t, "commands", len(d.launcher.ran), 0)
}

func TestAuditThatCantBeKeptStopsTheAct(t *testing.T) {
	full := errors.New("no space left")
	for n, want := range map[int]struct {
		ran int
		err string
	}{
		1: {0, "the audit can't be kept, so exec was not done: no space left"},
		2: {1, "exec was done (ok), but its audit record can't be kept: no space left"},
	} {
		d := newDoor(t)
		d.auditor.fail = map[int]error{n: full}
		res, err := d.Call(t.Context(), person, Call{Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
		if err == nil || err.Error() != want.err || !errors.Is(err, full) {
			t.Errorf("record %d: error %v, want %q", n, err, want.err)
		}
		diff(t, "commands", len(d.launcher.ran), want.ran)
		if n == 2 && res.Outcome != OK {
			t.Errorf("what was done is lost: %+v", res)
		}
	}
}

func TestDeadContextIsTheOnlyOtherError(t *testing.T) {
	stopped := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	d := newDoor(t)
	_, err := d.Call(ctx, person, Call{Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
	diff(t, "error", errors.Is(err, stopped), true)
	diff(t, "commands", len(d.launcher.ran), 0)

	d = newDoor(t)
	d.policy.decide = always(policy.Ask).decide
	ctx, cancel = context.WithCancelCause(t.Context())
	d.cfg.Approver = &fakeApprover{wait: true}
	d.auditor.onEach = func(policy.Record) { cancel(stopped) } // the person leaves while the question is open
	_, err = d.Call(ctx, person, Call{Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
	diff(t, "error while asking", errors.Is(err, stopped), true)
	diff(t, "commands", len(d.launcher.ran), 0)
}

func TestToolThatPanicsIsAFailedResult(t *testing.T) {
	d := newDoor(t,
		&fakeTool{name: "gpio", plan: func(json.RawMessage) (Plan, error) { panic("nil board") }},
		&fakeTool{name: "cron", plan: func(json.RawMessage) (Plan, error) {
			return Plan{Action: policy.Action{Tool: "cron"}, Do: func(context.Context, Judged, func(string)) (Output, error) { panic("nil store") }}, nil
		}})
	for tool, want := range map[string]string{"gpio": "nil board", "cron": "nil store"} {
		got := d.call(t, tool, `{"pin":"J7"}`)
		if got.Outcome != Failed || !strings.Contains(got.Text, "failed: the tool "+tool+" broke (internal error: "+want) {
			t.Errorf("%s: %+v", tool, got)
		}
	}
	diff(t, "records", d.records(), []string{"decision cron allow test.allow", "act cron allow test.allow  failed"})
}

func TestPlanIsFreedOnEveryRoad(t *testing.T) {
	for _, v := range []policy.Verdict{policy.Allow, policy.Deny} {
		freed := 0
		d := newDoor(t, &fakeTool{name: "gpio", plan: func(json.RawMessage) (Plan, error) {
			return Plan{
				Do:    func(context.Context, Judged, func(string)) (Output, error) { return Output{}, nil },
				Close: func() { freed++ },
			}, nil
		}})
		d.policy.decide = always(v).decide
		d.call(t, "gpio", `{"pin":"J7"}`)
		d.Judge(t.Context(), person, "gpio", json.RawMessage(`{"pin":"J7"}`))
		diff(t, v.String(), freed, 2)
	}
}

func TestToolThatIsNotOfferedIsRefusedWithItsReason(t *testing.T) {
	d := newDoor(t)
	d.policy.hide = map[string]bool{"exec": true}
	got := d.call(t, "exec", `{"argv":["true"]}`)
	diff(t, "text", got.Text, "refused: the tool exec is not offered: the policy's tool list, or the profile in force, leaves this tool out (rule tools.not-offered)\nhint: use another tool; the operator can add it to the tool list of policy.toml, or look at the profile")
	diff(t, "records", d.records(), []string{"decision exec deny tools.not-offered"})
	diff(t, "commands", len(d.launcher.ran), 0)
}

func TestCase013_GuessedNameGetsTheNearest(t *testing.T) {
	d := newDoor(t, &fakeTool{name: "gpio_write"}, &fakeTool{name: "gpio"})
	for name, want := range map[string]string{
		"gpio_set":  "no such tool, nearest: gpio (there is no \"gpio_set\"). ",
		"read_file": "no such tool, nearest: read (there is no \"read_file\"). ",
		"bash":      "no such tool, nearest: exec (there is no \"bash\"). ",
		"Exec":      "no such tool, nearest: exec (there is no \"Exec\"). ",
		"wirte":     "no such tool, nearest: write (there is no \"wirte\"). ",
		"status":    "no such tool, nearest: session_status (there is no \"status\"). ",
		"":          "no such tool: \"\". ",
		"calc":      "no such tool: \"calc\". ",
	} {
		got := d.call(t, name, `{}`)
		diff(t, name, got, Result{
			Outcome: Unknown,
			Text:    want + "The tools are exec, read, write, edit, gpio, session_status, gpio_write. Nothing was done.",
		})
	}
	d = newDoor(t, &fakeTool{name: "gpio_write"})
	if got := d.call(t, "gpio_set", `{}`); !strings.HasPrefix(got.Text, "no such tool, nearest: gpio_write ") {
		t.Errorf("got %q", got.Text)
	}
}

func TestCase014_MissingToolDoesNotReadLikeAPermission(t *testing.T) {
	d := newDoor(t)
	d.policy.decide = always(policy.Deny).decide
	got := d.call(t, "calc", `{"expr":"3*7"}`)
	for _, word := range []string{"denied", "refused", "allow", "permission", "policy"} {
		if strings.Contains(strings.ToLower(got.Text), word) {
			t.Errorf("%q reads like a permission problem: %q", word, got.Text)
		}
	}
	diff(t, "records", d.records(), []string(nil))
}

func TestInvalidArgumentsNameTheField(t *testing.T) {
	d := newDoor(t)
	got := d.call(t, "exec", `{"argv":["sleep","1"],"timeout_s":"soon"}`)
	diff(t, "result", got, Result{
		Outcome: Invalid,
		Text:    `invalid arguments for exec: "timeout_s" must be a whole number, not the text "soon". Nothing was done; correct them and call again.`,
	})
}

func TestRepairIsToldInTheResult(t *testing.T) {
	d := newDoor(t, &fakeTool{name: "gpio"})
	got := d.call(t, "gpio", `{"pin":"J15","ms":"250","invert":"true","note":"attempt A"}`)
	diff(t, "text", got.Text, `did {"pin":"J15","ms":250,"invert":true}`+"\n"+
		`[arguments: "ms" came as text and was read as a whole number; "invert" came as text and was read as true or false; "note" is no argument here and was left out]`)
	diff(t, "repairs", len(got.Repaired), 3)
}

func TestJudgeDoesNothing(t *testing.T) {
	d := newDoor(t)
	d.policy.decide = always(policy.Ask).decide
	for _, c := range []struct {
		tool, args string
		verdict    policy.Verdict
		rule       string
	}{
		{"write", `{"path":"a.txt","content":"x"}`, policy.Ask, "test.ask"},
		{"exec", `{"argv":["true"]}`, policy.Ask, "test.ask"},
		{"calc", `{}`, policy.Deny, "tools.unknown"},
		{"write", `{"path":"a.txt"}`, policy.Deny, "tools.invalid"},
		{"exec", `{"argv":["true"],"cwd":"gone"}`, policy.Deny, "tools.failed"},
		{"write", `{"path":"../a.txt","content":"x"}`, policy.Deny, "files.beneath-roots"},
	} {
		got := d.Judge(t.Context(), person, c.tool, json.RawMessage(c.args))
		diff(t, c.tool+c.args, []any{got.Verdict, got.Rule}, []any{c.verdict, c.rule})
	}
	diff(t, "records", d.records(), []string(nil))
	diff(t, "commands", len(d.launcher.ran), 0)
	diff(t, "questions", len(d.approver.asked), 0)
	if names, _ := os.ReadDir(d.dir); len(names) != 0 {
		t.Errorf("judging left %v", names)
	}
}

func TestCase140_SecretsAreMaskedEverywhere(t *testing.T) {
	d := newDoor(t)
	d.launcher.writes = []string{"key is s3cr", "3t-zz, keep it\n"}
	var said strings.Builder
	got, err := d.Call(t.Context(), person, Call{Name: "exec", Args: json.RawMessage(`{"argv":["echo","s3cr3t-zz"]}`)}, func(s string) { said.WriteString(s) })
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "text", got.Text, "key is [secret LAB_KEY], keep it\n[exit 0, cwd "+d.dir+"]")
	diff(t, "said", said.String(), "key is [secret LAB_KEY], keep it\n")
	for _, r := range d.auditor.records {
		diff(t, "subject", r.Subject, `echo "[secret LAB_KEY]" (in `+d.dir+")") // masked before it was quoted
	}
}

// A session that was started with fewer tools uses no other one, whatever policy
// offers, and the refusal is on record.
func TestOnlyTheGrantedTools(t *testing.T) {
	d := newDoor(t)
	d.policy.decide = always(policy.Allow).decide
	for _, c := range []struct {
		only []string
		ran  int
		text string
	}{
		{nil, 1, "[exit 0"},
		{[]string{"exec", "read"}, 1, "[exit 0"},
		{[]string{"read", "write"}, 0, "refused: the tool exec is not offered: this session was started without it (rule tools.not-granted)\nhint: say in the answer what is missing; the tools of this session are read, write"},
		{[]string{}, 0, "refused: the tool exec is not offered: this session was started without it (rule tools.not-granted)\nhint: say in the answer what is missing; the tools of this session are none at all"},
	} {
		d.launcher.ran = nil
		before := len(d.records())
		got, err := d.Call(t.Context(), Origin{Run: "sub", Session: "sub:1", Only: c.only}, Call{ID: "c1", Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got.Text, c.text) {
			t.Errorf("only %q: %q, want it to begin with %q", c.only, got.Text, c.text)
		}
		diff(t, "commands", len(d.launcher.ran), c.ran)
		if c.ran == 0 {
			diff(t, "records", d.records()[before:], []string{"decision exec deny tools.not-granted"})
		}
	}
	got, err := d.Call(t.Context(), Origin{Only: []string{"read"}}, Call{ID: "c1", Name: "exex"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "unknown", got.Text, `no such tool: "exex". The tools are read. Nothing was done.`)
}
