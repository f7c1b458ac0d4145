package policy

import "testing"

// Looking at a command in the background and ending it needs no rule; text for it is
// judged as the command with that text.
func TestProcessActions(t *testing.T) {
	p, err := Parse("t.toml", []byte(`version = 1
name = "t"
unlisted = "deny"
[tools]
allow = ["*"]
[[exec]]
argv = ["cat"]
why = "reads"
[[exec]]
argv = ["bc"]
verdict = "ask"
why = "computes anything"
[[exec]]
argv = ["sleep", "{word}"]
why = "waits"
`))
	if err != nil {
		t.Fatal(err)
	}
	cat := &Exec{Argv: []string{"cat"}, Stdin: "x\n", Background: true}
	for _, c := range []struct {
		name     string
		action   Action
		attended bool
		verdict  Verdict
		rule     string
	}{
		{"kill", Action{Kind: &Process{Op: "kill", ID: "p1"}}, false, Allow, "builtin.background"},
		{"ctrl-c to what would be asked", Action{Kind: &Process{Op: "keys", ID: "p1", Exec: nil}}, false, Allow, "builtin.background"},
		{"text", Action{Kind: &Process{Op: "write", ID: "p1", Input: true, Exec: cat}}, false, Allow, "exec.cat"},
		{"text that would be asked", Action{Kind: &Process{Op: "write", ID: "p1", Input: true, Exec: &Exec{Argv: []string{"bc"}, Stdin: "1"}}}, true, Ask, "exec.bc"},
		{"text with nobody there", Action{Kind: &Process{Op: "write", ID: "p1", Input: true, Exec: &Exec{Argv: []string{"bc"}, Stdin: "1"}}}, false, Deny, "exec.bc"},
		{"text for a program without a rule", Action{Kind: &Process{Op: "write", ID: "p1", Input: true, Exec: &Exec{Argv: []string{"python3"}, Stdin: "1"}}}, true, Deny, "unlisted"},
		{"text for a shell", Action{Kind: &Process{Op: "write", ID: "p1", Input: true, Exec: &Exec{Argv: []string{"sh"}, Stdin: "reboot\n"}}}, true, Deny, "builtin.inline"},
		{"text for nothing", Action{Kind: &Process{Op: "write", ID: "p1", Input: true}}, true, Deny, "builtin.kind"},
		{"text that is not said to be any", Action{Kind: &Process{Op: "write", ID: "p1", Exec: cat}}, true, Deny, "builtin.kind"},
		{"nothing", Action{}, true, Deny, "builtin.kind"},
	} {
		c.action.Tool = "process"
		f := Facts{Attended: c.attended, Programs: map[string]Program{}}
		for _, name := range []string{"cat", "bc", "python3", "sh"} {
			f.Programs[name] = Program{Path: "/usr/bin/" + name, Real: "/usr/bin/" + name}
		}
		d := p.Decide(c.action, f)
		if d.Verdict != c.verdict || d.Rule != c.rule {
			t.Errorf("%s: %s by %s, want %s by %s (%s)", c.name, d.Verdict, d.Rule, c.verdict, c.rule, d.Reason)
		}
	}
	a, b := Action{Kind: &Process{Op: "write", ID: "p1", Input: true, Exec: cat}}, Action{Kind: &Process{Op: "write", ID: "p2", Input: true, Exec: cat}}
	if a.Digest() == b.Digest() || a.Standing() {
		t.Error("an answer reaches further than one text for one command")
	}
}

// A long wait is refused in the foreground, with a pointer to what is for later.
func TestLongWaitBelongsIntoTheBackground(t *testing.T) {
	p, err := Parse("t.toml", []byte("version = 1\n[[exec]]\nargv = [\"sleep\", \"{word}\"]\nwhy = \"waits\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	f := Facts{Programs: map[string]Program{"sleep": {Path: "/usr/bin/sleep", Real: "/usr/bin/sleep"}}}
	long := Exec{Argv: []string{"sleep", "900"}}
	d := p.Decide(Action{Kind: &long}, f)
	if d.Verdict != Deny || d.Rule != "builtin.wait" || d.Hint != "start it with background: true; what is for later is for the cron tool" {
		t.Errorf("foreground: %+v", d)
	}
	long.Background = true
	if d := p.Decide(Action{Kind: &long}, f); d.Verdict != Allow {
		t.Errorf("background: %+v", d)
	}
}
