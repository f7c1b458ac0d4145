package policy

import (
	"slices"
	"strings"
	"testing"
)

const jobPolicy = `version = 1
unlisted = "ask"

[[file]]
root = "workspace"
ops = ["read"]
why = "w"

[[file]]
root = "workspace"
path = "plans/**"
ops = ["write"]
verdict = "ask"
why = "plans are kept"

[[exec]]
argv = ["sensors", "{flags}"]
flags = ["-j", "-u"]
verdict = "ask"
why = "readings"

[[exec]]
argv = ["probe", "{word}"]
verdict = "deny"
why = "never"

[[unattended]]
job = "j7"
argv = ["sensors", "-j"]
why = "the nightly record"

[[unattended]]
job = "j7"
argv = ["ipmitool", "sel"]
cwd = "sub"
why = "the nightly record"

[[unattended]]
id = "plan"
job = "j8"
op = "write"
path = "plans/today.md"
why = "the plan of the day"

[[unattended]]
job = "j7"
argv = ["probe", "x"]
why = "approved, and denied all the same"

[[profile]]
name = "silent"
why = "asks nothing"
ask = false
`

// A yes in advance holds for exactly that action of exactly that job, while nobody
// is present, and turns no denial.
func TestUnattended(t *testing.T) {
	p, err := Parse("p.toml", []byte(jobPolicy))
	if err != nil {
		t.Fatal(err)
	}
	silent, err := p.Profile("silent")
	if err != nil {
		t.Fatal(err)
	}
	sensors := func(change func(*Exec)) Action {
		a := argvAction("sensors", "-j")
		change(a.Command())
		return a
	}
	plan := fileAction(Write, "plans/today.md")
	for _, tt := range []struct {
		name     string
		a        Action
		p        *Policy
		job      string
		attended bool
		want     Verdict
		rule     string
	}{
		{name: "exactly", a: argvAction("sensors", "-j"), job: "j7", want: Allow, rule: "unattended.j7.sensors"},
		{name: "another time limit is the same act", a: sensors(func(e *Exec) { e.TimeoutS = 5 }), job: "j7", want: Allow, rule: "unattended.j7.sensors"},
		{name: "no job", a: argvAction("sensors", "-j"), want: Deny, rule: "exec.sensors"},
		{name: "another job", a: argvAction("sensors", "-j"), job: "j8", want: Deny, rule: "exec.sensors"},
		{name: "the beginning of its id", a: argvAction("sensors", "-j"), job: "j", want: Deny, rule: "exec.sensors"},
		{name: "other words", a: argvAction("sensors", "-u"), job: "j7", want: Deny, rule: "exec.sensors"},
		{name: "more words", a: argvAction("sensors", "-j", "-u"), job: "j7", want: Deny, rule: "exec.sensors"},
		{name: "fewer words", a: argvAction("sensors"), job: "j7", want: Deny, rule: "exec.sensors"},
		{name: "another folder", a: sensors(func(e *Exec) { e.Cwd = work + "/sub" }), job: "j7", want: Deny, rule: "exec.sensors"},
		{name: "in the background", a: sensors(func(e *Exec) { e.Background = true }), job: "j7", want: Deny, rule: "exec.sensors"},
		{name: "with input", a: sensors(func(e *Exec) { e.Stdin = "x" }), job: "j7", want: Deny, rule: "exec.sensors"},
		{name: "with a variable", a: sensors(func(e *Exec) { e.Env = []string{"LANG=C"} }), job: "j7", want: Deny, rule: "exec.sensors"},
		{name: "as a script", a: scriptAction("sensors -j"), job: "j7", want: Deny, rule: "exec.sensors"},
		{name: "behind a wrapper", a: argvAction("nice", "sensors", "-j"), job: "j7", want: Deny, rule: "exec.sensors"},
		{name: "somebody is there", a: argvAction("sensors", "-j"), job: "j7", attended: true, want: Ask, rule: "exec.sensors"},
		{name: "a profile that asks nothing", a: argvAction("sensors", "-j"), p: silent, job: "j7", want: Deny, rule: "exec.sensors"},
		{name: "a denial stays", a: argvAction("probe", "x"), job: "j7", want: Deny, rule: "exec.probe"},
		{name: "in its folder", a: Action{Kind: &Exec{Argv: []string{"ipmitool", "sel"}, Cwd: work + "/sub"}}, job: "j7", want: Allow, rule: "unattended.j7.ipmitool"},
		{name: "not in its folder", a: argvAction("ipmitool", "sel"), job: "j7", want: Deny, rule: "unlisted"},
		{name: "a file", a: plan, job: "j8", want: Allow, rule: "unattended.plan"},
		{name: "the same file by another way", a: fileAction(Write, "sub/../plans/today.md"), job: "j8", want: Allow, rule: "unattended.plan"},
		{name: "another file", a: fileAction(Write, "plans/b.md"), job: "j8", want: Deny, rule: "file.workspace.plans"},
		{name: "another operation", a: fileAction(Remove, "plans/today.md"), job: "j8", want: Deny, rule: "file.workspace.plans"},
		{name: "several files", a: Action{Kind: Files{*plan.Kind.(*File)}}, job: "j8", want: Deny, rule: "file.workspace.plans"},
	} {
		w := labWorld()
		if tt.p == nil {
			tt.p = p
		}
		f := w.complete(t, tt.p, tt.a)
		f.Job, f.Attended = tt.job, tt.attended
		d := tt.p.Decide(tt.a, f)
		if d.Verdict != tt.want || d.Rule != tt.rule {
			t.Errorf("%s: %s by %s, want %s by %s: %s", tt.name, d.Verdict, d.Rule, tt.want, tt.rule, d.Reason)
		}
		if x := tt.p.Explain(tt.a, f); x.Rule != d.Rule || (len(x.Change) == 0) != (d.Verdict == Allow) {
			t.Errorf("%s: explained as %+v", tt.name, x)
		}
		if d.Verdict == Allow && !strings.Contains(d.Reason, "a person approved exactly this in advance for the job "+tt.job) {
			t.Errorf("%s: %s", tt.name, d.Reason)
		}
	}
}

// What can be something else by the time of the run can't be approved in advance.
func TestUnattendedRefuses(t *testing.T) {
	const head = "version = 1\n[[unattended]]\nwhy = \"w\"\n"
	for _, tt := range []struct{ text, want string }{
		{`argv = ["sensors"]`, "job is missing"},
		{`job = "a b"` + "\n" + `argv = ["sensors"]`, "job is missing"},
		{`job = "j1"`, "say exactly what is approved"},
		{`job = "j1"` + "\n" + `argv = ["sensors"]` + "\n" + `op = "read"` + "\n" + `path = "a"`, "say exactly what is approved"},
		{`job = "j1"` + "\n" + `op = "list"` + "\n" + `path = "a"`, `op = "read" or "write"`},
		{`job = "j1"` + "\n" + `op = "write"`, `op = "read" or "write"`},
		{`job = "j1"` + "\n" + `argv = ["python3", "plot.py"]`, "can't be approved in advance"},
		{`job = "j1"` + "\n" + `argv = ["sh", "-c", "x"]`, "can't be approved in advance"},
		{`job = "j1"` + "\n" + `argv = ["timeout", "5", "x"]`, "can't be approved in advance"},
		{`job = "j1"` + "\n" + `argv = ["./run.sh"]`, "can't be approved in advance"},
		{`job = "j1"` + "\n" + `script = "ls"`, `has no key "script"`},
		{`job = "j1"` + "\n" + `argv = ["x"]` + "\n[[unattended]]\nwhy = \"w\"\njob = \"j1\"\nargv = [\"x\", \"-v\"]", "there is already a rule unattended.j1.x"},
	} {
		_, err := Parse("p.toml", []byte(head+tt.text+"\n"))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// The operator sees what was approved.
func TestUnattendedIsShown(t *testing.T) {
	p, err := Parse("p.toml", []byte(jobPolicy))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Rule{ID: "unattended.j7.ipmitool", Kind: "unattended", Verdict: Allow, Form: "job j7: ipmitool sel (in sub)", Why: "the nightly record"}); !slices.Contains(p.Rules(), want) {
		t.Errorf("%+v lacks %+v", p.Rules(), want)
	}
}
