package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hardshell/policy"
)

func TestExecGivesTheLauncherWhatPolicyJudged(t *testing.T) {
	d := newDoor(t)
	if err := os.Mkdir(filepath.Join(d.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	d.launcher.writes = []string{"boot ok\n"}
	d.launcher.exit = Exit{Layers: []string{"env", "mount"}}
	got := d.call(t, "exec", `{"argv":["cat","log.txt"],"cwd":"sub","stdin":"in","timeout_s":5}`)
	diff(t, "result", got, Result{
		Outcome: OK, Text: "boot ok\n[exit 0, cwd sub]", Layers: []string{"env", "mount"},
		Decision: policy.Decision{Verdict: policy.Allow, Rule: "test.allow", Reason: "allowed in tests"},
	})
	cat, err := filepath.EvalSymlinks("/usr/bin/cat")
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "command", d.launcher.ran, []Command{{
		Path: cat, Argv: []string{"cat", "log.txt"}, Dir: d.dir + "/sub", Stdin: "in", Timeout: 5 * time.Second,
	}})
	diff(t, "act on record", d.auditor.records[1].Layers, []string{"env", "mount"})
}

func TestExecScriptRunsTheShell(t *testing.T) {
	d := newDoor(t)
	const script = "grep fan log.txt | wc -l"
	d.call(t, "exec", fmt.Sprintf(`{"script":%q}`, script))
	sh, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "command", d.launcher.ran, []Command{{Path: sh, Argv: []string{"sh", "-c", script}, Dir: d.dir, Timeout: time.Minute}})
	diff(t, "subject", d.auditor.records[0].Subject, `script "grep fan log.txt | wc -l" (in `+d.dir+")")
}

func TestExecGrants(t *testing.T) {
	d := newDoor(t)
	outside, unopened := filepath.Join(t.TempDir(), "syslog"), filepath.Join(t.TempDir(), "auth.log")
	for _, f := range []string{outside, unopened} {
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.file(t, "log.txt", "")
	d.file(t, "tool", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(d.dir, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	d.policy.subjects = policy.Subjects{
		Paths:    []string{outside, filepath.Dir(outside), unopened, "log.txt", "/usr/bin", "/proc/meminfo", "/dev/null", "gone"},
		Programs: []string{"./tool"},
	}
	d.policy.decide = func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: policy.Allow, Grants: &policy.Grants{
			Devices: []string{"/dev/nul[l]", "/dev/none*"}, Read: []string{outside, filepath.Dir(outside), "/proc/meminfo"}, List: []string{"/usr/bin", "/gone"},
		}}
	}
	d.call(t, "exec", `{"argv":["cat","x"]}`)
	c := d.launcher.ran[0]
	diff(t, "granted", []any{c.Devices, c.Read, c.WritableRun}, []any{[]string{"/dev/null"}, []string{outside}, true})
}

func TestExecShowsListedFolders(t *testing.T) {
	d := newDoor(t)
	folder := t.TempDir()
	d.policy.subjects = policy.Subjects{Paths: []string{folder, "/"}}
	d.policy.decide = func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: policy.Allow, Grants: &policy.Grants{List: []string{folder, "/"}}}
	}
	d.call(t, "exec", `{"argv":["ls"]}`)
	diff(t, "shown", d.launcher.ran[0].Read, []string{folder})
}

func TestExecArguments(t *testing.T) {
	d := newDoor(t)
	d.file(t, "file", "")
	for args, want := range map[string]string{
		`{}`:                              `"argv" must name a program first`,
		`{"argv":[]}`:                     `"argv" must name a program first`,
		`{"argv":[""]}`:                   `"argv" must name a program first`,
		`{"argv":["a"],"script":"b"}`:     `"argv" and "script" are both given`,
		`{"argv":["a\u0000b"]}`:           `"argv[0]" holds a zero byte`,
		`{"script":"a\u0000b"}`:           `can't hold a zero byte`,
		`{"argv":["a"],"timeout_s":-1}`:   `"timeout_s" must be 1 or more, not -1`,
		`{"argv":["a"],"timeout_s":1801}`: `"timeout_s" must be 1800 or less (exec.max_timeout = 30m), not 1801`,
		`{"argv":["a","` + strings.Repeat("x", 200_000) + `"]}`: `"argv[1]" has 200000 bytes and the most is 102400; give long text as stdin or in a file`,
		`{"script":"` + strings.Repeat("x", 200_000) + `"}`:     `"script" has 200000 bytes and the most is 102400; put it into a file`,
	} {
		got := d.call(t, "exec", args)
		if got.Outcome != Invalid || !strings.Contains(got.Text, want) {
			t.Errorf("%.60s: %+v, want %q", args, got, want)
		}
	}
	diff(t, "commands", len(d.launcher.ran), 0)
}

func TestCase124_EachResultStatesItsFolder(t *testing.T) {
	d := newDoor(t)
	d.file(t, "sub/x", "")
	for args, want := range map[string][2]string{
		`{"argv":["pwd"]}`:                           {d.dir, d.dir},
		`{"argv":["pwd"],"cwd":"."}`:                 {d.dir, d.dir},
		`{"argv":["pwd"],"cwd":"sub"}`:               {d.dir + "/sub", "sub"},
		`{"argv":["pwd"],"cwd":"` + d.dir + `/sub"}`: {d.dir + "/sub", "sub"},
	} {
		d.launcher.ran = nil
		got := d.call(t, "exec", args)
		diff(t, args, []string{d.launcher.ran[0].Dir, got.Text}, []string{want[0], "[exit 0, no output, cwd " + want[1] + "]"})
	}
}

func TestCase125_DeletedFolderBreaksOnlyItsCall(t *testing.T) {
	d := newDoor(t)
	d.file(t, "sub/x", "")
	diff(t, "first", d.call(t, "exec", `{"argv":["true"],"cwd":"sub"}`).Outcome, OK)
	if err := os.RemoveAll(filepath.Join(d.dir, "sub")); err != nil {
		t.Fatal(err)
	}
	diff(t, "middle", d.call(t, "exec", `{"argv":["true"],"cwd":"sub"}`).Text, "failed: the working folder "+d.dir+"/sub does not exist; make it first or leave cwd out")
	diff(t, "last", d.call(t, "exec", `{"argv":["true"]}`).Outcome, OK)
	d.file(t, "file", "")
	diff(t, "a file", d.call(t, "exec", `{"argv":["true"],"cwd":"file"}`).Text, "failed: the working folder "+d.dir+"/file is no folder; name one or leave cwd out")
	diff(t, "outside", d.call(t, "exec", `{"argv":["true"],"cwd":"/etc"}`).Outcome, Refused)
}

func TestExecEndings(t *testing.T) {
	for _, c := range []struct {
		name    string
		exit    Exit
		err     error
		want    string
		outcome Outcome
	}{
		{"code", Exit{Code: 2, Took: 900 * time.Millisecond}, nil, "[exit 2, no output, cwd DIR]", Failed},
		{"slow", Exit{Took: 3700 * time.Millisecond}, nil, "[exit 0, 3s, no output, cwd DIR]", OK},
		{"signal", Exit{Code: -1, Signal: "SIGSEGV"}, nil, "[ended by SIGSEGV, no output, cwd DIR]", Failed},
		{"timeout", Exit{Code: -1, Signal: "SIGTERM", TimedOut: true, Took: time.Minute}, nil, "[timed out after 1m (timeout_s, else exec.timeout; the most is exec.max_timeout), it and everything it started was ended, no output, cwd DIR]", Failed},
		{"flood", Exit{Code: -1, Flooded: true}, nil, "[ended because it wrote without end; send output to a file or ask for less, no output, cwd DIR]", Failed},
		{"weaker", Exit{Weaker: "no namespaces (EPERM)"}, nil, "[exit 0, no output, cwd DIR, WEAKER SANDBOX: no namespaces (EPERM)]", OK},
		{"no start", Exit{}, errors.New("the sandbox lacks a layer"), "failed: true did not start: the sandbox lacks a layer", Failed},
	} {
		d := newDoor(t)
		d.launcher.exit, d.launcher.err = c.exit, c.err
		got := d.call(t, "exec", `{"argv":["true"]}`)
		diff(t, c.name, []any{got.Outcome, got.Text}, []any{c.outcome, strings.ReplaceAll(c.want, "DIR", d.dir)})
	}
}

func TestCase016_CosmeticFieldChangesNothingInTheResult(t *testing.T) {
	d := newDoor(t)
	d.launcher.writes = []string{"uid=0\n"}
	var texts []string
	for i := range 3 {
		d.launcher.exit.Took = time.Duration(i) * 100 * time.Millisecond
		texts = append(texts, d.call(t, "exec", fmt.Sprintf(`{"argv":["id"],"note":"attempt %d"}`, i)).Text)
	}
	diff(t, "texts", texts[1:], []string{texts[0], texts[0]})
}

func TestStatusTellsWhatIsUnknown(t *testing.T) {
	d := newDoor(t)
	diff(t, "all known", d.call(t, "session_status", `{}`).Text, `time: Monday 2026-11-30 12:00:00 +00:00 (UTC)
session: main, run chat
model: qwen3:4b, window 8192 tokens
think: low, reasoning shown: off
last prompt: 1000 tokens, reused 940
board: sim`)
	afternoon := Status{Time: noon.Add(125 * time.Minute), Zone: "UTC", TwelveHour: true}
	diff(t, "twelve hours", strings.Split(afternoon.text(Origin{}), "\n")[0], "time: Monday 2026-11-30 2:05:00 PM +00:00 (UTC)")
	zero := 0
	diff(t, "little known", Status{Time: noon, ClockDoubt: "it is before the build", Notes: []string{"AGENTS.md changed"}, Reused: &zero}.text(Origin{}), `time: Monday 2026-11-30 12:00:00 +00:00 (+00:00)
clock: not trusted, it is before the build
session: unknown, run unknown
model: unknown, window unknown
think: unknown, reasoning shown: unknown
last prompt: unknown, reused 0
board: unknown
AGENTS.md changed`)
}

func TestSubjectCantBeMisread(t *testing.T) {
	for _, c := range []struct {
		action policy.Action
		want   string
	}{
		{policy.Action{Kind: &policy.Exec{Argv: []string{"ls", "-la", "a b", ""}, Cwd: "/w"}}, `ls -la "a b" "" (in /w)`},
		{policy.Action{Kind: &policy.Exec{Argv: []string{"echo", "x (in /safe)", "\x1b[2K\u202e"}, Cwd: "/w", Stdin: "y\n", Background: true}}, `echo "x (in /safe)" "\x1b[2K\u202e" (in /w, stdin "y\n", in the background)`},
		{policy.Action{Kind: &policy.Exec{Script: "a\nb", Cwd: "/w"}}, `script "a\nb" (in /w)`},
		{policy.Action{Kind: &policy.File{Op: policy.Write, Path: "a\nb"}}, `write "a\nb"`},
		{policy.Action{Tool: "session_status", Kind: &policy.Setting{Model: "a b", Reasoning: "on"}}, `set model to "a b", set reasoning to on`},
		{policy.Action{Tool: "session_status", Kind: policy.Status{}}, "session_status"},
	} {
		diff(t, "subject", c.action.Subject(), c.want)
	}
}

func TestRateIsCountedForWhatHappened(t *testing.T) {
	d := newDoor(t)
	verdict := policy.Deny
	d.policy.decide = func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: verdict, Rule: "r", Counts: map[string]int{"r": 1}}
	}
	d.call(t, "exec", `{"argv":["true"]}`)
	verdict = policy.Allow
	d.call(t, "exec", `{"argv":["true"]}`)
	d.Judge(t.Context(), person, "exec", json.RawMessage(`{"argv":["true"]}`))
	d.call(t, "exec", `{"argv":["true"]}`)
	var used []int
	for _, f := range d.policy.facts {
		used = append(used, len(f.Used["r"]))
	}
	diff(t, "uses seen by each decision", used, []int{0, 0, 1, 1})
}

func TestStatusSets(t *testing.T) {
	d := newDoor(t)
	for args, want := range map[string]string{
		`{"model":"fast"}`: "main: fast ", `{"reasoning":"on"}`: "main:  on", `{"model":"default","reasoning":"stream"}`: "main: default stream",
		`{"model":"nope"}`: "failed: nothing was set: model nope is not on the server; choose another",
	} {
		diff(t, args, d.call(t, "session_status", args).Text, want)
	}
	if res := d.call(t, "session_status", `{"reasoning":"loud"}`); res.Outcome != Invalid {
		t.Errorf("%+v", res)
	}
	d.policy.decide = func(a policy.Action, _ policy.Facts) policy.Decision {
		diff(t, "what is judged", a, policy.Action{Tool: "session_status", Kind: &policy.Setting{Model: "big"}})
		return policy.Decision{Verdict: policy.Deny, Rule: "r", Reason: "no"}
	}
	if res := d.call(t, "session_status", `{"model":"big"}`); res.Outcome != Refused || res.Text != "refused: no (rule r)" {
		t.Errorf("%+v", res)
	}
}

// A turn that ends takes its command along: the result says so, and what was done is
// on record all the same.
func TestTurnThatEndsIsSaidInTheResult(t *testing.T) {
	d := newDoor(t)
	d.launcher.writes = []string{"half\n"}
	d.launcher.exit = Exit{Code: -1, Signal: "SIGTERM"}
	stopped := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	res, err := d.Call(ctx, person, Call{ID: "c1", Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, func(string) { cancel(stopped) })
	if !errors.Is(err, stopped) {
		t.Errorf("%v", err)
	}
	diff(t, "result", res.Text, "half\n[stopped: "+errTurnOver.Error()+", it and everything it started was ended, cwd "+d.dir+"]")
	diff(t, "records", d.records(), []string{"decision exec allow test.allow", "act exec allow test.allow  failed"})
}
