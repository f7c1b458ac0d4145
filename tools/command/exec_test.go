package command

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
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

func TestExecGivesTheLauncherWhatPolicyJudged(t *testing.T) {
	d := newDoor(t)
	if err := os.Mkdir(filepath.Join(d.Dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	d.Launcher.Writes = []string{"boot ok\n"}
	d.Launcher.Exit = tools.Exit{Layers: []string{"env", "mount"}}
	got := d.Do(t, "exec", `{"argv":["cat","log.txt"],"cwd":"sub","stdin":"in","timeout_s":5}`)
	toolstest.Diff(t, "result", got, tools.Result{
		Outcome: tools.OK, Text: "boot ok\n[exit 0, cwd sub]", Layers: []string{"env", "mount"},
		Decision: policy.Decision{Verdict: policy.Allow, Rule: "test.allow", Reason: "allowed in tests"},
	})
	cat, err := filepath.EvalSymlinks("/usr/bin/cat")
	if err != nil {
		t.Fatal(err)
	}
	toolstest.Diff(t, "command", d.Launcher.Ran, []tools.Command{{
		Path: cat, Argv: []string{"cat", "log.txt"}, Dir: d.Dir + "/sub", Stdin: "in", Timeout: 5 * time.Second,
	}})
	toolstest.Diff(t, "act on record", d.Auditor.Records[1].Layers, []string{"env", "mount"})
}

func TestExecScriptRunsTheShell(t *testing.T) {
	d := newDoor(t)
	const script = "grep fan log.txt | wc -l"
	d.Do(t, "exec", fmt.Sprintf(`{"script":%q}`, script))
	sh, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	toolstest.Diff(t, "command", d.Launcher.Ran, []tools.Command{{Path: sh, Argv: []string{"sh", "-c", script}, Dir: d.Dir, Timeout: time.Minute}})
	toolstest.Diff(t, "subject", d.Auditor.Records[0].Subject, `script "grep fan log.txt | wc -l" (in `+d.Dir+")")
}

func TestExecGrants(t *testing.T) {
	d := newDoor(t)
	outside, unopened := filepath.Join(t.TempDir(), "syslog"), filepath.Join(t.TempDir(), "auth.log")
	for _, f := range []string{outside, unopened} {
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.File(t, "log.txt", "")
	d.File(t, "tool", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(d.Dir, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	d.Policy.Subjects = policy.Subjects{
		Paths:    []string{outside, filepath.Dir(outside), unopened, "log.txt", "/usr/bin", "/proc/meminfo", "/dev/null", "gone"},
		Programs: []string{"./tool"},
	}
	d.Policy.Judge = func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: policy.Allow, Grants: &policy.Grants{
			Devices: []string{"/dev/nul[l]", "/dev/none*"}, Read: []string{outside, filepath.Dir(outside), "/proc/meminfo"}, List: []string{"/usr/bin", "/gone"},
		}}
	}
	d.Do(t, "exec", `{"argv":["cat","x"]}`)
	c := d.Launcher.Ran[0]
	toolstest.Diff(t, "granted", []any{c.Devices, c.Read, c.WritableRun}, []any{[]string{"/dev/null"}, []string{outside}, true})
}

func TestExecShowsListedFolders(t *testing.T) {
	d := newDoor(t)
	folder := t.TempDir()
	d.Policy.Subjects = policy.Subjects{Paths: []string{folder, "/"}}
	d.Policy.Judge = func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: policy.Allow, Grants: &policy.Grants{List: []string{folder, "/"}}}
	}
	d.Do(t, "exec", `{"argv":["ls"]}`)
	toolstest.Diff(t, "shown", d.Launcher.Ran[0].Read, []string{folder})
}

func TestExecArguments(t *testing.T) {
	d := newDoor(t)
	d.File(t, "file", "")
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
		got := d.Do(t, "exec", args)
		if got.Outcome != tools.Invalid || !strings.Contains(got.Text, want) {
			t.Errorf("%.60s: %+v, want %q", args, got, want)
		}
	}
	toolstest.Diff(t, "commands", len(d.Launcher.Ran), 0)
}

func TestCase124_EachResultStatesItsFolder(t *testing.T) {
	d := newDoor(t)
	d.File(t, "sub/x", "")
	for args, want := range map[string][2]string{
		`{"argv":["pwd"]}`:                           {d.Dir, d.Dir},
		`{"argv":["pwd"],"cwd":"."}`:                 {d.Dir, d.Dir},
		`{"argv":["pwd"],"cwd":"sub"}`:               {d.Dir + "/sub", "sub"},
		`{"argv":["pwd"],"cwd":"` + d.Dir + `/sub"}`: {d.Dir + "/sub", "sub"},
	} {
		d.Launcher.Ran = nil
		got := d.Do(t, "exec", args)
		toolstest.Diff(t, args, []string{d.Launcher.Ran[0].Dir, got.Text}, []string{want[0], "[exit 0, no output, cwd " + want[1] + "]"})
	}
}

func TestCase125_DeletedFolderBreaksOnlyItsCall(t *testing.T) {
	d := newDoor(t)
	d.File(t, "sub/x", "")
	toolstest.Diff(t, "first", d.Do(t, "exec", `{"argv":["true"],"cwd":"sub"}`).Outcome, tools.OK)
	if err := os.RemoveAll(filepath.Join(d.Dir, "sub")); err != nil {
		t.Fatal(err)
	}
	toolstest.Diff(t, "middle", d.Do(t, "exec", `{"argv":["true"],"cwd":"sub"}`).Text, "failed: the working folder "+d.Dir+"/sub does not exist; make it first or leave cwd out")
	toolstest.Diff(t, "last", d.Do(t, "exec", `{"argv":["true"]}`).Outcome, tools.OK)
	d.File(t, "file", "")
	toolstest.Diff(t, "a file", d.Do(t, "exec", `{"argv":["true"],"cwd":"file"}`).Text, "failed: the working folder "+d.Dir+"/file is no folder; name one or leave cwd out")
	toolstest.Diff(t, "outside", d.Do(t, "exec", `{"argv":["true"],"cwd":"/etc"}`).Outcome, tools.Refused)
}

func TestExecEndings(t *testing.T) {
	for _, c := range []struct {
		name    string
		exit    tools.Exit
		err     error
		want    string
		outcome tools.Outcome
	}{
		{"code", tools.Exit{Code: 2, Took: 900 * time.Millisecond}, nil, "[exit 2, no output, cwd DIR]", tools.Failed},
		{"slow", tools.Exit{Took: 3700 * time.Millisecond}, nil, "[exit 0, 3s, no output, cwd DIR]", tools.OK},
		{"signal", tools.Exit{Code: -1, Signal: "SIGSEGV"}, nil, "[ended by SIGSEGV, no output, cwd DIR]", tools.Failed},
		{"timeout", tools.Exit{Code: -1, Signal: "SIGTERM", TimedOut: true, Took: time.Minute}, nil, "[timed out after 1m (timeout_s, else exec.timeout; the most is exec.max_timeout), it and everything it started was ended, no output, cwd DIR]", tools.Failed},
		{"flood", tools.Exit{Code: -1, Flooded: true}, nil, "[ended because it wrote without end; send output to a file or ask for less, no output, cwd DIR]", tools.Failed},
		{"weaker", tools.Exit{Weaker: "no namespaces (EPERM)"}, nil, "[exit 0, no output, cwd DIR, WEAKER SANDBOX: no namespaces (EPERM)]", tools.OK},
		{"no start", tools.Exit{}, errors.New("the sandbox lacks a layer"), "failed: true did not start: the sandbox lacks a layer", tools.Failed},
	} {
		d := newDoor(t)
		d.Launcher.Exit, d.Launcher.Err = c.exit, c.err
		got := d.Do(t, "exec", `{"argv":["true"]}`)
		toolstest.Diff(t, c.name, []any{got.Outcome, got.Text}, []any{c.outcome, strings.ReplaceAll(c.want, "DIR", d.Dir)})
	}
}

func TestCase016_CosmeticFieldChangesNothingInTheResult(t *testing.T) {
	d := newDoor(t)
	d.Launcher.Writes = []string{"uid=0\n"}
	var texts []string
	for i := range 3 {
		d.Launcher.Exit.Took = time.Duration(i) * 100 * time.Millisecond
		texts = append(texts, d.Do(t, "exec", fmt.Sprintf(`{"argv":["id"],"note":"attempt %d"}`, i)).Text)
	}
	toolstest.Diff(t, "texts", texts[1:], []string{texts[0], texts[0]})
}

// A turn that ends takes its command along: the result says so, and what was done is
// on record all the same.
func TestTurnThatEndsIsSaidInTheResult(t *testing.T) {
	d := newDoor(t)
	d.Launcher.Writes = []string{"half\n"}
	d.Launcher.Exit = tools.Exit{Code: -1, Signal: "SIGTERM"}
	stopped := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	res, err := d.Call(ctx, toolstest.Person, tools.Call{ID: "c1", Name: "exec", Args: json.RawMessage(`{"argv":["true"]}`)}, func(string) { cancel(stopped) })
	if !errors.Is(err, stopped) {
		t.Errorf("%v", err)
	}
	toolstest.Diff(t, "result", res.Text, "half\n[stopped: "+errTurnOver.Error()+", it and everything it started was ended, cwd "+d.Dir+"]")
	toolstest.Diff(t, "records", d.Kept(), []string{"decision exec allow test.allow", "act exec allow test.allow  failed"})
}

// What policy says of a command's output stands behind it.
func TestNotesStandBehindTheOutput(t *testing.T) {
	d := newDoor(t)
	d.Launcher.Writes = []string{"PID\n1\n"}
	d.Policy.Judge = func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: policy.Allow, Grants: &policy.Grants{Notes: []string{"only its own processes"}}}
	}
	if res := d.Do(t, "exec", `{"argv":["ps"]}`); !strings.HasSuffix(res.Text, "]\n[only its own processes]") {
		t.Errorf("%q", res.Text)
	}
}
