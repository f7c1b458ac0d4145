package policy

import "testing"

// TestSetting holds that a conversation's model and reasoning are set while a person
// is there, in that person's own turn, and else never.
func TestSetting(t *testing.T) {
	p := Builtin()
	a := Action{Tool: "session_status", Kind: &Setting{Model: "fast"}}
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
	if p.Decide(Action{Kind: &Setting{Model: "a"}}, Facts{}).Verdict != Deny {
		t.Error("no facts must deny")
	}
	for _, other := range []Action{{}, {Tool: "session_status"}, {Tool: "session_status", Kind: (*Setting)(nil)}} {
		if d := p.Decide(other, Facts{Run: "chat", Attended: true}); d.Verdict != Deny || d.Rule != "builtin.kind" {
			t.Errorf("%+v", d)
		}
	}
	if a.Digest() == (Action{Tool: "session_status", Kind: &Setting{Model: "other"}}).Digest() {
		t.Error("two settings have one digest")
	}
}
