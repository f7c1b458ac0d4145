package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

func TestSpecsStandInTheFixedOrder(t *testing.T) {
	d := newDoor(t, &toolstest.Tool{Name: "zeta"}, &toolstest.Tool{Name: "cron"}, &toolstest.Tool{Name: "gpio"}, &toolstest.Tool{Name: "alpha"})
	names := func() (out []string) {
		for _, s := range d.Specs() {
			out = append(out, s.Name)
		}
		return out
	}
	toolstest.Diff(t, "all", names(), []string{"exec", "read", "write", "edit", "gpio", "cron", "session_status", "alpha", "zeta"})
	d.Policy.Hide = map[string]bool{"exec": true, "zeta": true}
	toolstest.Diff(t, "without exec and zeta", names(), []string{"read", "write", "edit", "gpio", "cron", "session_status", "alpha"})
}

func TestTwoToolsOfOneNameAreAFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	tools.NewRegistry(tools.Config{Tools: []tools.Tool{&toolstest.Tool{Name: "gpio"}, &toolstest.Tool{Name: "gpio"}}})
}

func TestAllowedCallActsAfterItsRecord(t *testing.T) {
	d := newDoor(t)
	d.File(t, "log.txt", "boot ok\n")
	d.Auditor.OnEach = func(r audit.Line) {
		if r.Kind == "decision" {
			if _, err := os.Stat(filepath.Join(d.Dir, "out.txt")); err == nil {
				t.Error("acted before the decision was on record")
			}
		}
	}
	got := d.Do(t, "write", `{"path":"out.txt","content":"x"}`)
	toolstest.Diff(t, "result", got, tools.Result{
		Outcome: tools.OK, Text: "created out.txt, 1 bytes, 1 lines",
		Decision: policy.Decision{Verdict: policy.Allow, Rule: "test.allow", Reason: "allowed in tests"},
	})
	action := policy.Action{Tool: "write", Kind: &policy.File{Op: policy.Write, Path: "out.txt"}}
	base := audit.Line{
		Time: toolstest.Noon, Agent: "main", Session: "main", Turn: "t1", Run: "chat", Call: "c1", Tool: "write",
		Subject: "write out.txt", Digest: action.Digest(), Verdict: "allow", Rule: "test.allow", Reason: "allowed in tests",
	}
	decision, act := base, base
	decision.Kind, act.Kind, act.Outcome = "decision", "act", "ok"
	toolstest.Diff(t, "records", d.Auditor.Records, []audit.Line{decision, act})
	toolstest.Diff(t, "facts", d.Policy.Facts, []policy.Facts{{
		Now: toolstest.Noon, Agent: "main", Session: "main", Run: "chat", Attended: true,
		Programs: map[string]policy.Program{},
		Paths:    map[string]policy.Path{"out.txt": {Abs: d.Dir + "/out.txt", Real: d.Dir + "/out.txt"}},
		Globs:    map[string][]string{},
		Roots:    map[string]string{"workspace": d.Dir},
		Used:     map[string][]time.Time{},
	}})
}

func TestRefusalCarriesReasonRuleAndHint(t *testing.T) {
	d := newDoor(t)
	d.Policy.Judge = toolstest.Always(policy.Deny).Judge
	got := d.Do(t, "exec", `{"argv":["reboot"]}`)
	toolstest.Diff(t, "text", got.Text, "refused: the test says deny (rule test.deny)\nhint: do something else")
	toolstest.Diff(t, "outcome", got.Outcome, tools.Refused)
	toolstest.Diff(t, "commands", len(d.Launcher.Ran), 0)
	toolstest.Diff(t, "records", d.Kept(), []string{"decision exec deny test.deny"})
}

func TestZeroDecisionDenies(t *testing.T) {
	d := newDoor(t)
	d.Policy.Judge = func(policy.Action, policy.Facts) policy.Decision { return policy.Decision{} }
	if got := d.Do(t, "exec", `{"argv":["true"]}`); got.Outcome != tools.Refused || len(d.Launcher.Ran) != 0 {
		t.Errorf("got %+v, ran %d", got, len(d.Launcher.Ran))
	}
}

func TestPolicyThatBreaksDenies(t *testing.T) {
	d := newDoor(t)
	d.Policy.Judge = func(policy.Action, policy.Facts) policy.Decision { panic("bad rule") }
	got := d.Do(t, "exec", `{"argv":["true"]}`)
	toolstest.Diff(t, "text", got.Text, "refused: policy broke on this action (bad rule) (rule internal)\nhint: report this as a fault of hardshell")
	toolstest.Diff(t, "commands", len(d.Launcher.Ran), 0)
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
		d.Auditor.Fail = map[int]error{n: full}
		res, err := d.Call(t.Context(), toolstest.Person, tools.Call{Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
		if err == nil || err.Error() != want.err || !errors.Is(err, full) {
			t.Errorf("record %d: error %v, want %q", n, err, want.err)
		}
		toolstest.Diff(t, "commands", len(d.Launcher.Ran), want.ran)
		if n == 2 && res.Outcome != tools.OK {
			t.Errorf("what was done is lost: %+v", res)
		}
	}
}

func TestDeadContextIsTheOnlyOtherError(t *testing.T) {
	stopped := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	d := newDoor(t)
	_, err := d.Call(ctx, toolstest.Person, tools.Call{Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
	toolstest.Diff(t, "error", errors.Is(err, stopped), true)
	toolstest.Diff(t, "commands", len(d.Launcher.Ran), 0)

	d = newDoor(t)
	d.Policy.Judge = toolstest.Always(policy.Ask).Judge
	ctx, cancel = context.WithCancelCause(t.Context())
	d.With(func(cfg *tools.Config) { cfg.Approver = &toolstest.Approver{Wait: true} })
	d.Auditor.OnEach = func(audit.Line) { cancel(stopped) } // the person leaves while the question is open
	_, err = d.Call(ctx, toolstest.Person, tools.Call{Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
	toolstest.Diff(t, "error while asking", errors.Is(err, stopped), true)
	toolstest.Diff(t, "commands", len(d.Launcher.Ran), 0)
}

func TestToolThatPanicsIsAFailedResult(t *testing.T) {
	d := newDoor(t,
		&toolstest.Tool{Name: "gpio", Prepared: func(json.RawMessage) (tools.Prepared, error) { panic("nil board") }},
		&toolstest.Tool{Name: "cron", Prepared: func(json.RawMessage) (tools.Prepared, error) {
			return tools.Prepared{Action: policy.Action{Tool: "cron"}, Do: func(context.Context, tools.Judged, func(string)) (tools.Output, error) { panic("nil store") }}, nil
		}})
	for tool, want := range map[string]string{"gpio": "nil board", "cron": "nil store"} {
		got := d.Do(t, tool, `{"pin":"J7"}`)
		if got.Outcome != tools.Failed || !strings.Contains(got.Text, "failed: the tool "+tool+" broke (internal error: "+want) {
			t.Errorf("%s: %+v", tool, got)
		}
	}
	toolstest.Diff(t, "records", d.Kept(), []string{"decision cron allow test.allow", "act cron allow test.allow  failed"})
}

func TestPlanIsFreedOnEveryRoad(t *testing.T) {
	for _, v := range []policy.Verdict{policy.Allow, policy.Deny} {
		freed := 0
		d := newDoor(t, &toolstest.Tool{Name: "gpio", Prepared: func(json.RawMessage) (tools.Prepared, error) {
			return tools.Prepared{
				Do:    func(context.Context, tools.Judged, func(string)) (tools.Output, error) { return tools.Output{}, nil },
				Close: func() { freed++ },
			}, nil
		}})
		d.Policy.Judge = toolstest.Always(v).Judge
		d.Do(t, "gpio", `{"pin":"J7"}`)
		d.Judge(t.Context(), toolstest.Person, "gpio", json.RawMessage(`{"pin":"J7"}`))
		toolstest.Diff(t, v.String(), freed, 2)
	}
}

func TestToolThatIsNotOfferedIsRefusedWithItsReason(t *testing.T) {
	d := newDoor(t)
	d.Policy.Hide = map[string]bool{"exec": true}
	got := d.Do(t, "exec", `{"argv":["true"]}`)
	toolstest.Diff(t, "text", got.Text, "refused: the tool exec is not offered: the policy's tool list, or the profile in force, leaves this tool out (rule tools.not-offered)\nhint: use another tool; the operator can add it to the tool list of policy.toml, or look at the profile")
	toolstest.Diff(t, "records", d.Kept(), []string{"decision exec deny tools.not-offered"})
	toolstest.Diff(t, "commands", len(d.Launcher.Ran), 0)
}

func TestCase013_GuessedNameGetsTheNearest(t *testing.T) {
	d := newDoor(t, &toolstest.Tool{Name: "gpio_write"}, &toolstest.Tool{Name: "gpio"})
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
		got := d.Do(t, name, `{}`)
		toolstest.Diff(t, name, got, tools.Result{
			Outcome: tools.Unknown,
			Text:    want + "The tools are exec, read, write, edit, gpio, session_status, gpio_write. Nothing was done.",
		})
	}
	d = newDoor(t, &toolstest.Tool{Name: "gpio_write"})
	if got := d.Do(t, "gpio_set", `{}`); !strings.HasPrefix(got.Text, "no such tool, nearest: gpio_write ") {
		t.Errorf("got %q", got.Text)
	}
}

func TestCase014_MissingToolDoesNotReadLikeAPermission(t *testing.T) {
	d := newDoor(t)
	d.Policy.Judge = toolstest.Always(policy.Deny).Judge
	got := d.Do(t, "calc", `{"expr":"3*7"}`)
	for _, word := range []string{"denied", "refused", "allow", "permission", "policy"} {
		if strings.Contains(strings.ToLower(got.Text), word) {
			t.Errorf("%q reads like a permission problem: %q", word, got.Text)
		}
	}
	toolstest.Diff(t, "records", d.Kept(), []string(nil))
}

func TestInvalidArgumentsNameTheField(t *testing.T) {
	d := newDoor(t)
	got := d.Do(t, "exec", `{"argv":["sleep","1"],"timeout_s":"soon"}`)
	toolstest.Diff(t, "result", got, tools.Result{
		Outcome: tools.Invalid,
		Text:    `invalid arguments for exec: "timeout_s" must be a whole number, not the text "soon". Nothing was done; correct them and call again.`,
	})
}

func TestRepairIsToldInTheResult(t *testing.T) {
	d := newDoor(t, &toolstest.Tool{Name: "gpio"})
	got := d.Do(t, "gpio", `{"pin":"J15","ms":"250","invert":"true","note":"attempt A"}`)
	toolstest.Diff(t, "text", got.Text, `did {"pin":"J15","ms":250,"invert":true}`+"\n"+
		`[arguments: "ms" came as text and was read as a whole number; "invert" came as text and was read as true or false; "note" is no argument here and was left out]`)
	toolstest.Diff(t, "repairs", len(got.Repaired), 3)
}

func TestJudgeDoesNothing(t *testing.T) {
	d := newDoor(t)
	d.Policy.Judge = toolstest.Always(policy.Ask).Judge
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
		got := d.Judge(t.Context(), toolstest.Person, c.tool, json.RawMessage(c.args))
		toolstest.Diff(t, c.tool+c.args, []any{got.Verdict, got.Rule}, []any{c.verdict, c.rule})
	}
	toolstest.Diff(t, "records", d.Kept(), []string(nil))
	toolstest.Diff(t, "commands", len(d.Launcher.Ran), 0)
	toolstest.Diff(t, "questions", len(d.Approver.Asked), 0)
	if names, _ := os.ReadDir(d.Dir); len(names) != 0 {
		t.Errorf("judging left %v", names)
	}
}

func TestCase140_SecretsAreMaskedEverywhere(t *testing.T) {
	d := newDoor(t)
	d.Launcher.Writes = []string{"key is s3cr", "3t-zz, keep it\n"}
	var said strings.Builder
	got, err := d.Call(t.Context(), toolstest.Person, tools.Call{Name: "exec", Args: json.RawMessage(`{"argv":["echo","s3cr3t-zz"]}`)}, func(s string) { said.WriteString(s) })
	if err != nil {
		t.Fatal(err)
	}
	toolstest.Diff(t, "text", got.Text, "key is [secret LAB_KEY], keep it\n[exit 0, cwd "+d.Dir+"]")
	toolstest.Diff(t, "said", said.String(), "key is [secret LAB_KEY], keep it\n")
	for _, r := range d.Auditor.Records {
		toolstest.Diff(t, "subject", r.Subject, `echo "[secret LAB_KEY]" (in `+d.Dir+")") // redacted before it was quoted
	}
}

// A session that was started with fewer tools uses no other one, whatever policy
// offers, and the refusal is on record.
func TestOnlyTheGrantedTools(t *testing.T) {
	d := newDoor(t)
	d.Policy.Judge = toolstest.Always(policy.Allow).Judge
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
		d.Launcher.Ran = nil
		before := len(d.Kept())
		got, err := d.Call(t.Context(), tools.Origin{Run: "sub", Session: "sub:1", Only: c.only}, tools.Call{ID: "c1", Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got.Text, c.text) {
			t.Errorf("only %q: %q, want it to begin with %q", c.only, got.Text, c.text)
		}
		toolstest.Diff(t, "commands", len(d.Launcher.Ran), c.ran)
		if c.ran == 0 {
			toolstest.Diff(t, "records", d.Kept()[before:], []string{"decision exec deny tools.not-granted"})
		}
	}
	got, err := d.Call(t.Context(), tools.Origin{Only: []string{"read"}}, tools.Call{ID: "c1", Name: "exex"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	toolstest.Diff(t, "unknown", got.Text, `no such tool: "exex". The tools are read. Nothing was done.`)
}

// TestManyCallsAtOnce is for the race detector.
func TestManyCallsAtOnce(t *testing.T) {
	d := newDoor(t)
	d.File(t, "a.txt", "x\n")
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for _, c := range [][2]string{
				{"read", `{"path":"a.txt"}`}, {"write", fmt.Sprintf(`{"path":"w%d","content":"y"}`, i)}, {"session_status", `{}`}, {"calc", `{}`},
			} {
				if _, err := d.Call(t.Context(), toolstest.Person, tools.Call{Name: c[0], Args: json.RawMessage(c[1])}, nil); err != nil {
					t.Error(err)
				}
			}
			d.Specs()
		})
	}
	wg.Wait()
	toolstest.Diff(t, "records", len(d.Auditor.Records), 16*3*2)
}
