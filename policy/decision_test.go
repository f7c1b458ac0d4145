package policy

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const smallPolicy = `
version = 1
name = "small"
unlisted = "ask"
env = ["LAB_RIG"]

[tools]
deny = ["group:hardware", "cron"]

[[file]]
root = "workspace"
ops = ["read", "write"]
why = "work"

[[file]]
id = "plans"
root = "workspace"
path = "plans/**"
ops = ["write"]
verdict = "ask"
why = "plans are kept"

[[file]]
id = "private"
root = "workspace"
path = "private"
ops = ["read", "write"]
verdict = "deny"
why = "private notes"

[[exec]]
argv = ["cat", "{flags}", "{path:read...}"]
flags = ["-n"]
why = "looking"

[[exec]]
id = "cat.ask"
argv = ["cat", "-n", "{path:read}"]
verdict = "ask"
why = "numbers need a yes"

[[exec]]
id = "cat.never"
argv = ["cat", "{rest...}", "never.txt"]
verdict = "deny"
why = "never.txt is never shown"

[[exec]]
argv = ["play", "{path:read}"]
why = "sound"
devices = ["/dev/snd/*"]
rate = "2/1h"

[[exec]]
argv = ["look", "{path:device}"]
why = "cameras"
devices = ["/dev/video*"]

[[exec]]
argv = ["/home/lab/work/tool"]
hash = "0000000000000000000000000000000000000000000000000000000000000000"
why = "our own tool"

[[profile]]
name = "read-only"
why = "looking only"
tools_deny = ["write"]
write = false
ask = false

[[profile]]
name = "few"
why = "one program"
exec = ["exec.cat"]
`

func smallPolicyParsed(t testing.TB) *Policy {
	t.Helper()
	p, err := Parse("small.toml", []byte(smallPolicy))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func fileAction(op FileOp, path string) Action {
	return Action{Tool: string(op), Kind: &File{op, path}}
}

func TestDecisions(t *testing.T) {
	wsMatch := Match{"file.workspace", Allow, "work"}
	cat := Match{"exec.cat", Allow, "looking"}
	tests := []struct {
		name     string
		action   Action
		attended bool
		want     Decision
	}{
		{
			name: "a rule allows", action: argvAction("cat", "a.txt"),
			want: Decision{Verdict: Allow, Rule: "exec.cat", Reason: "cat a.txt: looking", Matched: []Match{cat, wsMatch}},
		},
		{
			name: "the strictest wins, all are named", action: argvAction("cat", "-n", "a.txt"), attended: true,
			want: Decision{Verdict: Ask, Rule: "exec.cat.ask", Reason: "cat -n a.txt: numbers need a yes", Matched: []Match{{"exec.cat.ask", Ask, "numbers need a yes"}, cat, wsMatch}, Grants: &Grants{Free: true}},
		},
		{
			name: "nobody to ask", action: argvAction("cat", "-n", "a.txt"),
			want: Decision{
				Verdict: Deny, Rule: "exec.cat.ask", Reason: "cat -n a.txt: numbers need a yes; that needs a person's yes and nobody is present",
				Hint: "do without it, or ask when a person is there", Matched: []Match{{"exec.cat.ask", Ask, "numbers need a yes"}, cat, wsMatch},
			},
		},
		{
			name: "a denial beats every allowance", action: argvAction("cat", "a.txt", "never.txt"), attended: true,
			want: Decision{Verdict: Deny, Rule: "exec.cat.never", Reason: "cat a.txt never.txt: never.txt is never shown", Hint: "do without it, or ask the operator", Matched: []Match{{"exec.cat.never", Deny, "never.txt is never shown"}, cat, wsMatch}},
		},
		{
			name: "a flag that is not listed", action: argvAction("cat", "-z", "a.txt"),
			want: Decision{
				Verdict: Deny, Rule: "builtin.no-match", Reason: `no rule for cat fits cat -z a.txt: the flag "-z" of "-z" is not on the rule's list`,
				Hint:    "the policy allows: cat {flags} {path:read...}; cat -n {path:read}, with -n",
				Matched: []Match{{"builtin.no-match", Deny, "a listed program runs in its listed forms only"}, wsMatch},
			},
		},
		{
			name: "a built-in rule", action: argvAction("reboot"), attended: true,
			want: Decision{
				Verdict: Deny, Rule: "builtin.power", Reason: "reboot: power, boot and services are changed through the power tool or by the operator",
				Hint: "look with sensors or systemctl status; changes are the power tool's or the operator's",
				Matched: []Match{
					{"builtin.power", Deny, "power, boot and services are changed through the power tool or by the operator"}, wsMatch,
				},
			},
		},
		{
			name: "no rule, and a person", action: argvAction("frob", "a.txt"), attended: true,
			want: Decision{Verdict: Ask, Rule: "unlisted", Reason: `frob a.txt: the policy has no rule for "frob"`, Matched: []Match{{"unlisted", Ask, "programs without a rule need a person's yes"}, wsMatch}, Grants: &Grants{Free: true}},
		},
		{
			name: "no rule, and a denied path among the words", action: argvAction("frob", "--in=private/x"), attended: true,
			want: Decision{
				Verdict: Deny, Rule: "file.private", Reason: `"private/x": private notes`, Hint: "do without it, or ask the operator",
				Matched: []Match{{"file.private", Deny, "private notes"}, {"unlisted", Ask, "programs without a rule need a person's yes"}, wsMatch},
			},
		},
		{
			name: "a tool that is not offered", action: Action{Kind: Look{}, Tool: "gpio"},
			want: Decision{
				Verdict: Deny, Rule: "tools.deny", Reason: "the tool gpio is not offered: [tools] deny of the policy", Hint: "do without it, or ask the operator",
				Matched: []Match{
					{"tools.deny", Deny, "the tool gpio is not offered: [tools] deny of the policy"},
					{"builtin.status", Allow, "looking at the agent's own state changes nothing"},
				},
			},
		},
		{
			name: "an unknown kind", action: Action{Tool: "exec"}, attended: true,
			want: Decision{Verdict: Deny, Rule: "builtin.kind", Reason: `this policy knows no action of the kind ""`, Hint: "do without it, or ask the operator", Matched: []Match{{"builtin.kind", Deny, `this policy knows no action of the kind ""`}}},
		},
		{
			name: "the agent's own state", action: Action{Kind: Look{}, Tool: "session_status"},
			want: Decision{Verdict: Allow, Rule: "builtin.status", Reason: "reads the agent's own state and changes nothing", Matched: []Match{{"builtin.status", Allow, "looking at the agent's own state changes nothing"}}},
		},
		{
			name: "a conversation's plan", action: Action{Kind: Plan{}, Tool: "session_status"},
			want: Decision{Verdict: Allow, Rule: "builtin.plan", Reason: "writes down the conversation's plan", Matched: []Match{{"builtin.plan", Allow, "a plan is text that nothing acts on"}}},
		},
		{
			name: "a setting without what is set", action: Action{Tool: "session_status", Kind: (*Setting)(nil)}, attended: true,
			want: Decision{Verdict: Deny, Rule: "builtin.kind", Reason: `this policy knows no action of the kind "setting"`, Hint: "do without it, or ask the operator", Matched: []Match{{"builtin.kind", Deny, `this policy knows no action of the kind "setting"`}}},
		},
		{
			name: "a file in the workspace", action: fileAction(Read, "a.txt"),
			want: Decision{Verdict: Allow, Rule: "file.workspace", Reason: `"a.txt": work`, Matched: []Match{wsMatch}},
		},
		{
			name: "a file that needs a yes", action: fileAction(Write, "plans/today.md"), attended: true,
			want: Decision{Verdict: Ask, Rule: "file.plans", Reason: `"plans/today.md": plans are kept`, Matched: []Match{{"file.plans", Ask, "plans are kept"}, wsMatch}},
		},
		{
			name: "a file outside", action: fileAction(Read, "/srv/secret.txt"), attended: true,
			want: Decision{
				Verdict: Deny, Rule: "builtin.outside", Reason: `"/srv/secret.txt" may not be read: no rule of the policy opens it`, Hint: "stay inside the workspace",
				Matched: []Match{{"builtin.outside", Deny, "only what a rule opens can be reached"}},
			},
		},
		{
			name: "a device that the rule grants", action: argvAction("look", "/dev/video0"),
			want: Decision{Verdict: Allow, Rule: "exec.look", Reason: "look /dev/video0: cameras", Matched: []Match{{"exec.look", Allow, "cameras"}, wsMatch}, Grants: &Grants{Devices: []string{"/dev/video*"}}},
		},
		{
			name: "a program of the workspace, bound to its hash", action: argvAction("./tool"),
			want: Decision{Verdict: Allow, Rule: "exec.tool", Reason: "./tool: our own tool", Matched: []Match{{"exec.tool", Allow, "our own tool"}, wsMatch}},
		},
		{
			name: "a variable from the policy's list", action: Action{Tool: "exec", Kind: &Exec{Argv: []string{"cat"}, Env: []string{"LAB_RIG=/opt/rig"}}},
			want: Decision{Verdict: Allow, Rule: "exec.cat", Reason: "cat: looking", Matched: []Match{cat}},
		},
	}
	p := smallPolicyParsed(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := labWorld()
			w.files[work+"/tool"], w.files[work+"/never.txt"] = "file", "file"
			w.attended = tt.attended
			if diff := cmp.Diff(tt.want, w.decide(t, p, tt.action)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestZeroValuesDeny looks at everything that can be left empty.
func TestZeroValuesDeny(t *testing.T) {
	p := labPolicy(t)
	for _, a := range []Action{
		{},
		{Kind: (*Exec)(nil)},
		{Kind: (*File)(nil)},
		{Kind: &Exec{}},
		{Kind: &File{}},
		{Kind: &File{Path: "a.txt"}},
		{Kind: &Exec{Argv: []string{"ls"}, Script: "ls"}},
		argvAction("ls"), fileAction(Read, "a.txt"), scriptAction("ls"),
	} {
		if d := p.Decide(a, Facts{Attended: true}); d.Verdict != Deny || d.Reason == "" {
			t.Errorf("%+v without facts: %+v", a, d)
		}
	}
	var v Verdict
	if v != Deny || v.String() != "deny" || (Decision{}).Verdict != Deny {
		t.Error("the zero verdict must deny")
	}
}

func TestVerdictWords(t *testing.T) {
	for _, v := range []Verdict{Deny, Ask, Allow} {
		b, err := json.Marshal(v)
		var back Verdict
		if err != nil || json.Unmarshal(b, &back) != nil || back != v {
			t.Errorf("%s does not survive JSON: %s", v, b)
		}
	}
	var v Verdict
	if err := v.UnmarshalText([]byte("maybe")); err == nil {
		t.Error("maybe is no verdict")
	}
}

func TestRates(t *testing.T) {
	p, w := smallPolicyParsed(t), labWorld()
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	a := argvAction("play", "tone.wav")
	for _, tt := range []struct {
		name string
		used map[string][]time.Time
		want Verdict
	}{
		{"not known", nil, Deny},
		{"never", map[string][]time.Time{}, Allow},
		{"once", map[string][]time.Time{"exec.play": {now.Add(-time.Minute)}}, Allow},
		{"used up", map[string][]time.Time{"exec.play": {now.Add(-time.Minute), now.Add(-2 * time.Minute)}}, Deny},
		{"long ago", map[string][]time.Time{"exec.play": {now.Add(-time.Hour), now.Add(-2 * time.Minute)}}, Allow},
	} {
		w.used = tt.used
		if d := w.decide(t, p, a); d.Verdict != tt.want {
			t.Errorf("%s: %s, %s", tt.name, d.Verdict, d.Reason)
		}
	}
}

func TestBuiltinPolicy(t *testing.T) {
	p, w := Builtin(), labWorld()
	w.attended = true
	for _, tt := range []struct {
		a    Action
		want Verdict
	}{
		{fileAction(Read, "a.txt"), Allow},
		{fileAction(Write, "a.txt"), Deny},
		{fileAction(Read, "/etc/passwd"), Deny},
		{fileAction(Read, ".env"), Deny},
		{argvAction("ls"), Deny},
		{scriptAction("ls"), Deny},
		{Action{Kind: Look{}, Tool: "session_status"}, Allow},
	} {
		if d := w.decide(t, p, tt.a); d.Verdict != tt.want {
			t.Errorf("%+v: %+v", tt.a, d)
		}
	}
	d := w.decide(t, p, argvAction("ls"))
	want := Decision{
		Verdict: Deny, Rule: "tools.allow", Reason: "the tool exec is not offered: there is no policy file", Hint: "agent init installs the lab policy",
		Matched: []Match{{"tools.allow", Deny, "the tool exec is not offered: there is no policy file"}, {"builtin.no-policy", Deny, "there is no policy file, so no command may run"}, {"unlisted", Deny, `the policy has no rule for "ls"`}, {"builtin.workspace", Allow, "without a policy file the workspace can be read and nothing else"}},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	if !p.Offers("read") || p.Offers("exec") || p.Offers("write") {
		t.Error("without a file only reading is offered")
	}
}
