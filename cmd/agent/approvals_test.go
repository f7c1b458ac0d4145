package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy/audit"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
)

// elsewhere runs a command at another terminal of the same person and gives what
// it printed.
func (p *person) elsewhere(args ...string) string {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0], cmd.Env = "agent", p.env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("%v: %v\n%s%s", args, err, out, errs.String())
	}
	return string(out)
}

// TestSecondTerminalAnswers holds that a question of one terminal is seen and
// answered at another one, that always lasts until it is revoked, over a restart,
// and that a denial reaches the first terminal as well.
func TestSecondTerminalAnswers(t *testing.T) {
	const uname = `TOOL:{"name":"exec","args":{"argv":["uname","-m"]}}` + "\r"
	p := sitDown(t, "chat")
	p.sees(prompt)
	p.types(uname)
	p.sees("question a1: may exec do this?")
	p.sees("[d]eny: ")
	var open struct{ Approvals []event.Approval }
	if err := json.Unmarshal([]byte(p.elsewhere("approvals", "list", "--json")), &open); err != nil {
		t.Fatal(err)
	}
	if len(open.Approvals) != 1 || open.Approvals[0].ID != "a1" || !strings.HasPrefix(open.Approvals[0].Subject, "uname -m") {
		t.Fatalf("open: %+v", open)
	}
	if got := p.elsewhere("approvals", "list"); !strings.Contains(got, "once, session, always, deny") || !strings.Contains(got, "uname -m") {
		t.Errorf("list:\n%s", got)
	}
	if d := cmp.Diff("question a1: always\n", p.elsewhere("approvals", "answer", "a1", "always")); d != "" {
		t.Error(d)
	}
	p.sees("question a1: always, by agent approvals")
	p.sees("done: ")
	p.sees(prompt)
	p.types("/quit\r")
	p.leaves(0)

	var kept struct{ Grants []approval.Grant }
	if err := json.Unmarshal([]byte(p.elsewhere("approvals", "grants", "--json")), &kept); err != nil {
		t.Fatal(err)
	}
	if len(kept.Grants) != 1 || kept.Grants[0].Digest != open.Approvals[0].Digest || kept.Grants[0].By != byCommand {
		t.Fatalf("grants: %+v", kept)
	}
	head := short(kept.Grants[0].Digest)
	if got := p.elsewhere("approvals", "grants"); !strings.Contains(got, head) || !strings.Contains(got, "agent approvals  exec") {
		t.Errorf("grants:\n%s", got)
	}
	p.begin("chat")
	p.sees(prompt)
	p.types(uname) // allowed for always: no question, in a new process
	if before := p.sees("done: "); strings.Contains(before, "[d]eny") {
		t.Errorf("asked again: %s", before)
	}
	p.sees(prompt)
	if got := p.elsewhere("approvals", "revoke", head); !strings.HasPrefix(got, "exec is a question again: uname -m") {
		t.Error(got)
	}
	var audit struct{ Records []audit.Line }
	if err := json.Unmarshal([]byte(p.elsewhere("audit", "tail", "-n", "1", "--json")), &audit); err != nil || len(audit.Records) != 1 {
		t.Fatal(err, audit)
	}
	r := audit.Records[0]
	if d := cmp.Diff([]string{"note", "main", "person", "exec", "permission taken back: " + kept.Grants[0].Subject, kept.Grants[0].Digest}, []string{r.Kind, r.Agent, r.Run, r.Tool, r.Subject, r.Digest}); d != "" {
		t.Errorf("on record (-want +got):\n%s", d)
	}
	p.types(uname)
	p.sees("question ")
	id := p.sees(": may exec do this?")
	p.sees("[d]eny: ")
	if d := cmp.Diff(`{"id":"`+id+`","answer":"deny"}`+"\n", p.elsewhere("approvals", "answer", "--json", id, "deny")); d != "" {
		t.Error(d)
	}
	p.sees("question " + id + ": deny, by agent approvals")
	p.sees("refused")
	p.sees(prompt)
	p.types("/quit\r")
	p.leaves(0)
	if got := p.elsewhere("approvals", "grants", "--json"); got != `{"grants":[]}`+"\n" {
		t.Error(got)
	}
}
