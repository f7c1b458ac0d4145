package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/tools"
	"hardshell/tools/command"
	"hardshell/tools/files"
	"hardshell/tools/toolstest"
)

// starter is a launcher whose command starts programs by itself.
type starter struct {
	start []tools.Start
	// after is called behind each start, with the judge's word on it.
	after func(one tools.Start, no error)
}

func (l *starter) Run(_ context.Context, c tools.Command) (tools.Exit, error) {
	for _, one := range l.start {
		l.after(one, c.Start(one))
	}
	return tools.Exit{Starts: []string{"/usr/bin/gcc 3000 times"}}, nil
}

// startDoor is a door to a command whose rule lets it start cc*, and a policy that
// allows ld alone.
func startDoor(t *testing.T) (*toolstest.Door, *starter) {
	t.Helper()
	l := &starter{after: func(tools.Start, error) {}}
	d := execDoor(t, l)
	d.Policy.Judge = func(a policy.Action, f policy.Facts) policy.Decision {
		switch a.Command().Argv[0] {
		case "true":
			return policy.Decision{Verdict: policy.Allow, Rule: "exec.make", Grants: &policy.Grants{Starts: []string{"cc*"}}}
		case "/opt/x/ld":
			return policy.Decision{Verdict: policy.Allow, Rule: "exec.ld"}
		}
		return policy.Decision{Verdict: policy.Deny, Rule: "builtin.net"}
	}
	return d, l
}

// startLines shortens the records of starts.
func startLines(rs []audit.Line) []string {
	var out []string
	for _, r := range rs {
		if r.Kind == "start" {
			out = append(out, strings.Join([]string{r.Verdict, r.Rule, r.Subject, r.Reason}, " | "))
		}
	}
	return out
}

// Each decision about a program that a command starts by itself is on record before
// the program can do anything: once for each program and verdict, however often.
func TestStartsAreOnRecordWhenTheyAreDecided(t *testing.T) {
	d, l := startDoor(t)
	ld := tools.Start{Program: "/opt/x/ld", Argv: []string{"ld", "-o", "s3cr3t-zz"}, Dir: d.Dir}
	curl := tools.Start{Program: "/opt/x/curl", Argv: []string{"curl", "http://s3cr3t-zz/"}, Dir: d.Dir}
	for range 3000 {
		l.start = append(l.start, ld)
	}
	l.start = append(l.start, curl, curl, ld)
	want := []string{
		`allow | exec.ld | /opt/x/ld -o "[secret LAB_KEY]" | started by true`,
		`deny | builtin.net | /opt/x/curl "http://[secret LAB_KEY]/" | rule builtin.net; a rule's starts can allow it; started by true`,
	}
	at := map[string]int{"/opt/x/ld": 1, "/opt/x/curl": 2}
	l.after = func(one tools.Start, no error) {
		if (no != nil) != (one.Program == "/opt/x/curl") {
			t.Errorf("%s: %v", one.Program, no)
		}
		if got := startLines(d.Auditor.Records); len(got) < at[one.Program] {
			t.Fatalf("%s starts, and on record is %q", one.Program, got)
		}
	}
	d.Do(t, "exec", `{"argv":["true"]}`)
	toolstest.Diff(t, "starts", startLines(d.Auditor.Records), want)
	first, last := d.Auditor.Records[0], d.Auditor.Records[len(d.Auditor.Records)-1]
	toolstest.Diff(t, "order", []string{first.Kind, d.Auditor.Records[1].Kind, last.Kind}, []string{"decision", "start", "act"})
	r := d.Auditor.Records[1]
	toolstest.Diff(t, "whose", []string{r.Agent, r.Session, r.Turn, r.Run, r.Call, r.Tool, r.Digest}, []string{first.Agent, first.Session, first.Turn, first.Run, first.Call, "exec", first.Digest})
	toolstest.Diff(t, "counts at the end", last.Starts, []string{"/usr/bin/gcc 3000 times"})
}

// A decision that can't be kept starts nothing.
func TestNoStartWithoutARecord(t *testing.T) {
	d, l := startDoor(t)
	l.start = []tools.Start{{Program: "/opt/x/ld", Argv: []string{"ld"}, Dir: d.Dir}, {Program: "/opt/x/ld", Argv: []string{"ld"}, Dir: d.Dir}}
	d.Auditor.Fail = map[int]error{2: errors.New("the disk is full")}
	var got []string
	l.after = func(_ tools.Start, no error) { got = append(got, fmt.Sprint(no)) }
	d.Do(t, "exec", `{"argv":["true"]}`)
	toolstest.Diff(t, "words", got, []string{"the audit can't be kept, so it was not started: the disk is full", "<nil>"})
	toolstest.Diff(t, "starts", startLines(d.Auditor.Records), []string{"allow | exec.ld | /opt/x/ld | started by true"})
}

// A command that starts ever other programs does not fill the audit, and that is on
// record, too.
func TestStartRecordsAreBounded(t *testing.T) {
	d, l := startDoor(t)
	for i := range tools.MostStartRecords + 50 {
		l.start = append(l.start, tools.Start{Program: fmt.Sprintf("/opt/x/p%d", i), Argv: []string{"p"}, Dir: d.Dir})
	}
	l.after = func(one tools.Start, no error) {
		if no == nil {
			t.Errorf("%s starts", one.Program)
		}
	}
	d.Do(t, "exec", `{"argv":["true"]}`)
	got := startLines(d.Auditor.Records)
	if len(got) != tools.MostStartRecords+1 || !strings.Contains(got[tools.MostStartRecords], "| further programs than the first 200, counted at the end |") {
		t.Errorf("%d records, last %q", len(got), got[len(got)-1])
	}
}

// What the action names is on record with it, and only a change of it is told.
func TestNamedProgramsNeedNoRecordOfTheirOwn(t *testing.T) {
	d := execDoor(t, &starter{})
	k := d.Begin(t.Context(), toolstest.Person, "exec", json.RawMessage(`{"argv":["true"]}`))
	defer k.Free()
	judge, named := k.NamedStarts()
	for file, p := range named {
		if err := judge(tools.Start{Program: file, Argv: []string{"true"}, Dir: d.Dir}); err != nil {
			t.Error(err)
		}
		toolstest.Diff(t, "starts", startLines(d.Auditor.Records), []string(nil))
		p.Writable, p.Hash = true, "other"
		named[file] = p
		no := judge(tools.Start{Program: file, Argv: []string{"true"}, Dir: d.Dir})
		toolstest.Diff(t, "changed", startLines(d.Auditor.Records), []string{"deny | test.allow | " + file + " | " + fmt.Sprint(no) + "; started by true"})
	}
	if len(named) != 1 {
		t.Errorf("%d programs are named", len(named))
	}
}

// execDoor is a door to exec over a launcher.
func execDoor(t *testing.T, l tools.Launcher) *toolstest.Door {
	t.Helper()
	d := toolstest.NewDoor(t)
	roots, err := files.NewRoots(d.Dir)
	if err != nil {
		t.Fatal(err)
	}
	d.Add(command.NewExecTool(command.ExecConfig{Launcher: l, Roots: roots, Redactor: d.Config.Redactor}))
	return d
}
