package policy

import (
	"slices"
	"strings"
	"testing"

	"hardshell/policy/builtin"
)

// TestBuiltinPrograms tries every program of every built-in rule, under every
// name that could hide it, with and without a person, in a policy that allows
// everything else.
func TestBuiltinPrograms(t *testing.T) {
	p, err := Parse("open.toml", []byte("version = 1\nunlisted = \"ask\"\n[[file]]\npath = \"/**\"\nops = [\"read\", \"write\"]\nwhy = \"w\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, b := range builtin.Rules {
		if b.Why == "" || b.Form() == "" {
			t.Errorf("%s lacks its reason or what it covers", b.ID)
		}
		for _, name := range b.Programs {
			name = strings.Replace(name, "*", "x", 1)
			owner := builtin.Forbids(name)
			if owner == nil {
				t.Errorf("%s: %s is not found", b.ID, name)
				continue
			}
			for _, argv := range [][]string{{name}, {"/usr/sbin/" + name, "-x"}, {"nice", name}, {"sh", "-c", name + " x"}, {"busybox", name}, {"./" + name}, {"xargs", name}, {"find", ".", "-exec", name, "{}", ";"}} {
				w := labWorld()
				w.attended, w.confined = true, true
				tried++
				if d := w.decide(t, p, argvAction(argv...)); d.Verdict != Deny || !slices.ContainsFunc(d.Matched, func(m Match) bool { return m.Rule == owner.ID }) {
					t.Errorf("%q: %s by %s, want deny by %s", argv, d.Verdict, d.Rule, owner.ID)
				}
			}
			// A link under a harmless name leads to the same program.
			a := argvAction("harmless")
			f := Facts{Attended: true, Roots: labWorld().roots, Paths: map[string]Path{work: labWorld().look(work)}, Programs: map[string]Program{"harmless": {Path: "/usr/bin/harmless", Real: "/usr/bin/" + name}}}
			multi := name == "busybox" || name == "coreutils" || name == "kmod" || name == "systemd" || name == "lvmx"
			if d := p.Decide(a, f); d.Verdict != Deny && !multi {
				t.Errorf("a link to %s: %s by %s", name, d.Verdict, d.Rule)
			}
		}
	}
	t.Logf("%d commands", tried)
}

// TestEveryRuleExplainsItself looks at the shipped policy as a reader would.
func TestEveryRuleExplainsItself(t *testing.T) {
	p := labPolicy(t)
	if len(p.Waivers()) != 0 {
		t.Errorf("the shipped policy waives %+v", p.Waivers())
	}
	ids := map[string]bool{}
	for _, r := range p.Rules() {
		if ids[r.ID] || r.ID == "" || r.Why == "" || r.Form == "" || r.Kind == "" {
			t.Errorf("%+v", r)
		}
		ids[r.ID] = true
	}
	for _, e := range p.execOrder {
		if e.verdict == Allow && len(e.match) == 0 && strings.Contains(e.form, "{flags} ") {
			t.Logf("%s has no example", e.id)
		}
	}
	for _, tool := range []string{"exec", "process", "read", "write", "edit", "gpio", "cron", "session_status"} {
		if !p.Offers(tool) {
			t.Errorf("the lab policy does not offer %s", tool)
		}
	}
	if p.Offers("") || p.Name() != "lab" {
		t.Error(p.Name())
	}
}

// TestToolLists tries names and groups.
func TestToolLists(t *testing.T) {
	tests := []struct {
		lists   string
		yes, no []string
	}{
		{"", []string{"exec", "gpio", "mcp.x.y"}, []string{""}},
		{`allow = ["*"]`, []string{"exec"}, []string{"apply_patch", "serial", "update_plan"}},
		{`allow = ["*", "apply_patch"]`, []string{"exec", "apply_patch"}, []string{"serial"}},
		{`allow = ["group:files"]`, []string{"edit"}, []string{"apply_patch"}},
		{"allow = [\"apply_patch\"]\ndeny = [\"group:change\"]", nil, []string{"apply_patch"}},
		{`allow = []`, nil, []string{"exec", "read"}},
		{`allow = ["read", "group:run"]`, []string{"read", "exec", "process"}, []string{"write", "gpio"}},
		{`deny = ["group:files"]`, []string{"exec"}, []string{"read", "write", "edit", "apply_patch"}},
		{"allow = [\"exec\"]\ndeny = [\"exec\"]", nil, []string{"exec"}},
		{`deny = ["*"]`, nil, []string{"exec", "session_status"}},
		{`allow = ["mcp.scope.read"]`, []string{"mcp.scope.read"}, []string{"mcp.scope.write"}},
	}
	for _, tt := range tests {
		p, err := Parse("t.toml", []byte("version = 1\n[tools]\n"+tt.lists+"\n"))
		if err != nil {
			t.Errorf("%s: %v", tt.lists, err)
			continue
		}
		for _, tool := range tt.yes {
			if !p.Offers(tool) {
				t.Errorf("%s: %s must be offered", tt.lists, tool)
			}
		}
		for _, tool := range tt.no {
			if p.Offers(tool) {
				t.Errorf("%s: %s must not be offered", tt.lists, tool)
			}
			// What is not offered is refused when it is called, too.
			if tool != "" {
				if d := p.Decide(Action{Kind: Look{}, Tool: tool}, Facts{}); d.Verdict != Deny {
					t.Errorf("%s: %s was called: %+v", tt.lists, tool, d)
				}
			}
		}
	}
}

// TestProgramPlaces tries programs that lie where they should not.
func TestProgramPlaces(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	p, err := Parse("t.toml", []byte(`
version = 1
unlisted = "ask"
[[file]]
root = "workspace"
ops = ["read"]
why = "w"
[[exec]]
argv = ["cat", "{path:read...}"]
why = "w"
[[exec]]
id = "tool"
argv = ["/opt/lab/tool"]
why = "w"
[[exec]]
id = "bound"
argv = ["/opt/lab/bound"]
hash = "`+hash+`"
why = "w"
`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		word string
		prog Program
		want Verdict
		rule string
	}{
		{"system program", "cat", Program{Path: "/usr/bin/cat", Real: "/usr/bin/cat"}, Allow, "exec.cat"},
		{"by another name", "cat", Program{Path: "/bin/cat", Real: "/usr/lib/x/cat-impl"}, Allow, "exec.cat"},
		{"an applet", "cat", Program{Path: "/bin/cat", Real: "/bin/busybox"}, Allow, "exec.cat"},
		{"writable", "cat", Program{Path: "/usr/local/bin/cat", Real: "/usr/local/bin/cat", Writable: true}, Deny, "builtin.writable"},
		{"elsewhere", "cat", Program{Path: "/opt/bin/cat", Real: "/opt/bin/cat"}, Deny, "builtin.place"},
		{"full path", "/opt/lab/tool", Program{Path: "/opt/lab/tool", Real: "/opt/lab/tool"}, Allow, "exec.tool"},
		{"full path, writable, no hash", "/opt/lab/tool", Program{Path: "/opt/lab/tool", Real: "/opt/lab/tool", Writable: true, Hash: hash}, Deny, "builtin.writable"},
		{"bound", "/opt/lab/bound", Program{Path: "/opt/lab/bound", Real: "/opt/lab/bound", Writable: true, Hash: hash}, Allow, "exec.bound"},
		{"bound, changed", "/opt/lab/bound", Program{Path: "/opt/lab/bound", Real: "/opt/lab/bound", Writable: true, Hash: strings.Repeat("0", 64)}, Deny, "builtin.writable"},
		{"bound, hash unknown", "/opt/lab/bound", Program{Path: "/opt/lab/bound", Real: "/opt/lab/bound", Writable: true}, Deny, "builtin.writable"},
		{"no rule, system", "frob", Program{Path: "/usr/bin/frob", Real: "/usr/bin/frob"}, Ask, "unlisted"},
		{"no rule, elsewhere", "frob", Program{Path: "/opt/frob", Real: "/opt/frob"}, Deny, "builtin.place"},
	}
	for _, tt := range tests {
		f := Facts{Attended: true, Roots: labWorld().roots, Programs: map[string]Program{tt.word: tt.prog}, Paths: map[string]Path{work: labWorld().look(work)}}
		d := p.Decide(argvAction(tt.word), f)
		if d.Verdict != tt.want || tt.rule != "" && d.Rule != tt.rule {
			t.Errorf("%s: %s by %s, want %s by %s: %s", tt.name, d.Verdict, d.Rule, tt.want, tt.rule, d.Reason)
		}
		// A refusal says that a program was changed, and what to do about it.
		said := strings.Contains(d.Reason, "was changed since the rule exec.bound was bound to its hash (/opt/lab/bound)") && strings.Contains(d.Hint, "sha256sum")
		if changed := strings.HasPrefix(tt.name, "bound, "); said != changed {
			t.Errorf("%s: %s; %s", tt.name, d.Reason, d.Hint)
		}
	}
}

// TestCarriersMustBeTheSystems refuses wrappers and shells that commands could
// have changed.
func TestCarriersMustBeTheSystems(t *testing.T) {
	p := labPolicy(t)
	for _, argv := range [][]string{{"nice", "ls"}, {"sh", "-c", "ls"}, {"busybox", "ls"}, {"find", ".", "-exec", "echo", ";"}} {
		for _, prog := range []Program{{Path: "/usr/bin/" + argv[0], Real: "/usr/bin/" + argv[0], Writable: true}, {Path: "/opt/" + argv[0], Real: "/opt/" + argv[0]}} {
			ls, w := Program{Path: "/usr/bin/ls", Real: "/usr/bin/ls"}, labWorld()
			f := Facts{Attended: true, Roots: w.roots, Programs: map[string]Program{argv[0]: prog, "ls": ls, "echo": ls}, Paths: map[string]Path{work: w.look(work), ".": w.look(".")}}
			if d := p.Decide(argvAction(argv...), f); d.Verdict != Deny || d.Rule != "builtin.writable" {
				t.Errorf("%q at %s: %s by %s", argv, prog.Path, d.Verdict, d.Rule)
			}
		}
	}
}
