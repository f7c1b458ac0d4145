package policy

import "testing"

// TestSetting holds that a conversation's model and reasoning are set while a person
// is there, in that person's own turn, and else never.
func TestSetting(t *testing.T) {
	p := Builtin()
	a := Action{Kind: KindSetting, Tool: "session_status", Setting: &Setting{Model: "fast"}}
	for _, run := range []string{"", "chat", "cron", "heartbeat", "wake", "announce", "sub"} {
		for _, attended := range []bool{false, true} {
			want := Deny
			if attended && run == "chat" {
				want = Allow
			}
			if d := p.Decide(a, Facts{Run: run, Attended: attended}); d.Verdict != want || d.Rule != "builtin.setting" || d.Reason == "" {
				t.Errorf("run %q, attended %v: %+v", run, attended, d)
			}
		}
	}
	if p.Decide(Action{Kind: KindSetting, Setting: &Setting{Model: "a"}}, Facts{}).Verdict != Deny {
		t.Error("no facts must deny")
	}
	for _, other := range []Action{{Kind: "gpio", Setting: a.Setting}, {Setting: a.Setting}, {Kind: KindExec, Setting: a.Setting}} {
		if d := p.Decide(other, Facts{Run: "chat", Attended: true}); d.Verdict != Deny || d.Rule != "builtin.kind" {
			t.Errorf("%+v", d)
		}
	}
	if a.Digest() == (Action{Kind: KindSetting, Tool: "session_status", Setting: &Setting{Model: "other"}}).Digest() {
		t.Error("two settings have one digest")
	}
}
