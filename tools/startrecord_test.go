package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hardshell/policy"
)

// starter is a launcher whose command starts programs by itself.
type starter struct {
	start []Start
	// after is called behind each start, with the judge's word on it.
	after func(one Start, no error)
}

func (l *starter) Run(_ context.Context, c Command) (Exit, error) {
	for _, one := range l.start {
		l.after(one, c.Start(one))
	}
	return Exit{Starts: []string{"/usr/bin/gcc 3000 times"}}, nil
}

// startDoor is a door to a command whose rule lets it start cc*, and a policy that
// allows ld alone.
func startDoor(t *testing.T) (*door, *starter) {
	t.Helper()
	d, l := newDoor(t), &starter{after: func(Start, error) {}}
	d.find("exec").(*Exec).cfg.Launcher = l
	d.policy.decide = func(a policy.Action, f policy.Facts) policy.Decision {
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
func startLines(rs []policy.Record) []string {
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
	ld := Start{Program: "/opt/x/ld", Argv: []string{"ld", "-o", "s3cr3t-zz"}, Dir: d.dir}
	curl := Start{Program: "/opt/x/curl", Argv: []string{"curl", "http://s3cr3t-zz/"}, Dir: d.dir}
	for range 3000 {
		l.start = append(l.start, ld)
	}
	l.start = append(l.start, curl, curl, ld)
	want := []string{
		`allow | exec.ld | /opt/x/ld -o "[secret LAB_KEY]" | started by true`,
		`deny | builtin.net | /opt/x/curl "http://[secret LAB_KEY]/" | rule builtin.net; a rule's starts can allow it; started by true`,
	}
	at := map[string]int{"/opt/x/ld": 1, "/opt/x/curl": 2}
	l.after = func(one Start, no error) {
		if (no != nil) != (one.Program == "/opt/x/curl") {
			t.Errorf("%s: %v", one.Program, no)
		}
		if got := startLines(d.auditor.records); len(got) < at[one.Program] {
			t.Fatalf("%s starts, and on record is %q", one.Program, got)
		}
	}
	d.call(t, "exec", `{"argv":["true"]}`)
	diff(t, "starts", startLines(d.auditor.records), want)
	first, last := d.auditor.records[0], d.auditor.records[len(d.auditor.records)-1]
	diff(t, "order", []string{first.Kind, d.auditor.records[1].Kind, last.Kind}, []string{"decision", "start", "act"})
	r := d.auditor.records[1]
	diff(t, "whose", []string{r.Agent, r.Session, r.Turn, r.Run, r.Call, r.Tool, r.Digest}, []string{first.Agent, first.Session, first.Turn, first.Run, first.Call, "exec", first.Digest})
	diff(t, "counts at the end", last.Starts, []string{"/usr/bin/gcc 3000 times"})
}

// The same of a command in the background: what was decided is there although its end
// never comes.
func TestStartsInTheBackgroundAreOnRecord(t *testing.T) {
	y := newYard(t)
	y.policy.decide = func(a policy.Action, _ policy.Facts) policy.Decision {
		return policy.Decision{Verdict: policy.Allow, Rule: "exec." + a.Command().Argv[0]}
	}
	a := y.begin(t, "p1")
	if err := a.c.Start(Start{Program: "/opt/x/ld", Argv: []string{"ld"}, Dir: y.dir}); err != nil {
		t.Fatal(err)
	}
	diff(t, "starts", startLines(y.auditor.records), []string{"allow | exec./opt/x/ld | /opt/x/ld | started by cat"})
}

// A decision that can't be kept starts nothing.
func TestNoStartWithoutARecord(t *testing.T) {
	d, l := startDoor(t)
	l.start = []Start{{Program: "/opt/x/ld", Argv: []string{"ld"}, Dir: d.dir}, {Program: "/opt/x/ld", Argv: []string{"ld"}, Dir: d.dir}}
	d.auditor.fail = map[int]error{2: errors.New("the disk is full")}
	var got []string
	l.after = func(_ Start, no error) { got = append(got, fmt.Sprint(no)) }
	d.call(t, "exec", `{"argv":["true"]}`)
	diff(t, "words", got, []string{"the audit can't be kept, so it was not started: the disk is full", "<nil>"})
	diff(t, "starts", startLines(d.auditor.records), []string{"allow | exec.ld | /opt/x/ld | started by true"})
}

// A command that starts ever other programs does not fill the audit, and that is on
// record, too.
func TestStartRecordsAreBounded(t *testing.T) {
	d, l := startDoor(t)
	for i := range mostStartRecords + 50 {
		l.start = append(l.start, Start{Program: fmt.Sprintf("/opt/x/p%d", i), Argv: []string{"p"}, Dir: d.dir})
	}
	l.after = func(one Start, no error) {
		if no == nil {
			t.Errorf("%s starts", one.Program)
		}
	}
	d.call(t, "exec", `{"argv":["true"]}`)
	got := startLines(d.auditor.records)
	if len(got) != mostStartRecords+1 || !strings.Contains(got[mostStartRecords], "| further programs than the first 200, counted at the end |") {
		t.Errorf("%d records, last %q", len(got), got[len(got)-1])
	}
}

// What the action names is on record with it, and only a change of it is told.
func TestNamedProgramsNeedNoRecordOfTheirOwn(t *testing.T) {
	d := newDoor(t)
	k, _ := d.judge(t.Context(), person, "exec", json.RawMessage(`{"argv":["true"]}`))
	defer k.free()
	s := newStarts(k, policy.Grants{})
	for file, p := range s.named {
		if err := s.judge(Start{Program: file, Argv: []string{"true"}, Dir: d.dir}); err != nil {
			t.Error(err)
		}
		diff(t, "starts", startLines(d.auditor.records), []string(nil))
		p.Writable, p.Hash = true, "other"
		s.named[file] = p
		no := s.judge(Start{Program: file, Argv: []string{"true"}, Dir: d.dir})
		diff(t, "changed", startLines(d.auditor.records), []string{"deny | test.allow | " + file + " | " + fmt.Sprint(no) + "; started by true"})
	}
	if len(s.named) != 1 {
		t.Errorf("%d programs are named", len(s.named))
	}
}
