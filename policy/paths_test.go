package policy

import (
	"slices"
	"strings"
	"testing"
)

// TestPaths tries paths under the lab policy: what is protected, what leads out,
// what is open.
func TestPaths(t *testing.T) {
	p := labPolicy(t)
	tests := []struct {
		op   FileOp
		path string
		want Verdict
		rule string
	}{
		{Read, "log.txt", Allow, "file.workspace"},
		{Write, "res/new/deep.txt", Allow, "file.workspace"},
		{List, ".", Allow, "file.workspace"},
		{Read, "inside", Allow, "file.workspace"},
		{Read, work + "/log.txt", Allow, "file.workspace"},
		{Read, "/usr/share/hardshell/docs/policy.md", Allow, "file.docs"},
		{Write, "/usr/share/hardshell/docs/policy.md", Deny, "builtin.self"},
		{Read, "/var/lib/hardshell/skills/mic/SKILL.md", Allow, "file.skills"},
		{List, "/var/lib/hardshell/skills", Allow, "file.skills"},
		{Write, "/var/lib/hardshell/skills/mic/SKILL.md", Deny, "builtin.self"},
		{Read, "/var/lib/hardshell/skillset", Deny, "builtin.self"},
		{Read, "/proc/meminfo", Allow, "file.meminfo"},
		{Read, "/sys/class/thermal/thermal_zone0/temp", Allow, "file.thermal.zones"},
		{Write, "/sys/class/thermal/thermal_zone0/temp", Deny, "builtin.sys"},
		{Read, "/dev/null", Allow, "builtin.stdio"},
		{Write, "/dev/null", Allow, "builtin.stdio"},
		{Read, "/dev/gpiochip0", Deny, "builtin.device"},
		{Write, "/dev/sda", Deny, "builtin.device"},
		{List, "/dev/snd", Allow, "file.devices"},
		{Read, "/etc/passwd", Deny, "builtin.outside"},
		{Read, "/etc/shadow", Deny, "builtin.secret"},
		{List, "/etc/shadow", Deny, "builtin.secret"},
		{Read, "../.ssh/id_rsa", Deny, "builtin.secret"},
		{Read, ".env", Deny, "builtin.secret"},
		{Write, ".env", Deny, "builtin.secret"},
		{Read, "sub/.ssh/config", Deny, "builtin.secret"},
		{Read, ".git/config", Allow, "file.workspace"},
		{Write, ".git/config", Deny, "builtin.git"},
		{Write, ".git/hooks/post-checkout", Deny, "builtin.git"},
		{Write, "sub/HEAD", Deny, "builtin.git"},
		{Write, "-rf", Deny, "builtin.dash"},
		{Write, "sub/--x/y", Deny, "builtin.dash"},
		{Read, "-rf", Allow, "file.workspace"},
		{Read, "/var/lib/hardshell/hardshell.db", Deny, "builtin.self"},
		{List, "/var/lib/hardshell", Deny, "builtin.self"},
		{Write, "/etc/hardshell/policy.toml", Deny, "builtin.self"},
		{Write, "/var/lib", Deny, "builtin.outside"},
		{Read, "/proc/1/environ", Deny, "builtin.secret"},
		{Read, "/proc/self/fd/3", Deny, "builtin.secret"},
		{Read, "etc/hostname", Deny, "builtin.outside"},
		{Read, "link.txt", Deny, "builtin.outside"},
		{Write, "draft.txt", Deny, "builtin.outside"},
		{Write, "out/new/deep/a.txt", Deny, "builtin.outside"},
		{Write, "a/../../b", Deny, "builtin.outside"},
		{Read, "", Deny, "builtin.size"},
		{Read, "a\x00b", Deny, "builtin.size"},
		{Read, strings.Repeat("a/", 3000), Deny, "builtin.size"},
		{"chmod", "log.txt", Deny, "builtin.kind"},
	}
	for _, tt := range tests {
		w := labWorld()
		w.attended = true
		if d := w.decide(t, p, fileAction(tt.op, tt.path)); d.Verdict != tt.want || d.Rule != tt.rule {
			t.Errorf("%s %.60q: %s by %s, want %s by %s: %s", tt.op, tt.path, d.Verdict, d.Rule, tt.want, tt.rule, d.Reason)
		}
	}
}

// TestNestedRoots puts the workspace into the agent's config folder and the state
// into the workspace: the innermost folder counts.
func TestNestedRoots(t *testing.T) {
	p, w := labPolicy(t), labWorld()
	w.roots["config"], w.roots["state"] = "/home/lab", work+"/.state"
	for _, tt := range []struct {
		a    Action
		want Verdict
	}{
		{fileAction(Read, "log.txt"), Allow},
		{fileAction(Read, "../policy.toml"), Deny},
		{fileAction(Read, ".state/db"), Deny},
		{fileAction(Write, ".state/db"), Deny},
		{argvAction("rm", "-r", ".state"), Deny},
		{argvAction("mv", ".state", "x"), Deny},
		{argvAction("ls", ".state"), Deny},
		{argvAction("rm", "-rf", "."), Deny},
	} {
		if d := w.decide(t, p, tt.a); d.Verdict != tt.want {
			t.Errorf("%s: %s by %s", tt.a.Subject(), d.Verdict, d.Rule)
		}
	}
	w.roots["state"] = work + "/sub/.state"
	for _, a := range []Action{argvAction("rm", "-r", "sub"), argvAction("mv", "sub", "x"), argvAction("rmdir", "-p", "sub")} {
		if d := w.decide(t, p, a); d.Rule != "builtin.self" {
			t.Errorf("%s removes the state folder: %s by %s", a.Subject(), d.Verdict, d.Rule)
		}
	}
	// What the agent was given to read it can't change, wherever it lies.
	w.roots["state"], w.roots["skills"], w.roots["docs"] = work+"/.state", work+"/.state/skills", work+"/.state-manual"
	for _, tt := range []struct {
		a    Action
		want Verdict
	}{
		{fileAction(Read, ".state/skills/mic/SKILL.md"), Allow},
		{fileAction(Read, ".state-manual/policy.md"), Allow},
		{fileAction(Write, ".state/skills/mic/SKILL.md"), Deny},
		{fileAction(Write, ".state-manual/policy.md"), Deny},
		{argvAction("rm", "-r", ".state/skills/mic"), Deny},
		{argvAction("rm", "-r", ".state/skills"), Deny},
		{argvAction("touch", ".state-manual/policy.md"), Deny},
		{fileAction(Read, ".state/db"), Deny},
	} {
		if d := w.decide(t, p, tt.a); d.Verdict != tt.want || d.Verdict == Deny && d.Rule != "builtin.self" {
			t.Errorf("%s: %s by %s", tt.a.Subject(), d.Verdict, d.Rule)
		}
	}
	w.roots = map[string]string{"workspace": work, "binary": "/opt/lab/agent"}
	w.files["/opt/lab/agent"] = "file"
	if d := w.decide(t, p, argvAction("/opt/lab/agent", "resume")); d.Rule != "builtin.self" {
		t.Errorf("the agent's own program: %+v", d)
	}
}

// TestBothNamesOfALinkAreProtected: what is the agent's own, secret, or denied by a
// rule is so under the name that was written, whatever it leads to.
func TestBothNamesOfALinkAreProtected(t *testing.T) {
	w, p := labWorld(), smallPolicyParsed(t)
	w.attended = true
	for _, link := range []string{"/var/lib/hardshell/link", "/home/lab/.ssh/config", work + "/private/link", work + "/.git/hooks"} {
		w.links[link] = work + "/a.txt"
	}
	for _, tt := range []struct {
		op         FileOp
		path, rule string
	}{
		{Read, "/var/lib/hardshell/link", "builtin.self"},
		{Write, "/var/lib/hardshell/link", "builtin.self"},
		{List, "/var/lib/hardshell/link", "builtin.self"},
		{Remove, "/var/lib/hardshell/link", "builtin.self"},
		{Read, "/home/lab/.ssh/config", "builtin.secret"},
		{Read, "private/link", "file.private"},
		{Write, "private/link", "file.private"},
		{Write, ".git/hooks", "builtin.git"},
	} {
		if d := w.decide(t, p, fileAction(tt.op, tt.path)); d.Verdict != Deny || d.Rule != tt.rule {
			t.Errorf("%s %s: %s by %s: %s", tt.op, tt.path, d.Verdict, d.Rule, d.Reason)
		}
	}
}

// TestOwnProgramByItsPlace: the agent's program is kept from itself under whatever
// name it lies, and by every name that leads to it.
func TestOwnProgramByItsPlace(t *testing.T) {
	w := labWorld()
	w.attended, w.roots["binary"] = true, "/opt/lab/hs"
	w.files["/opt/lab/hs"], w.links[work+"/tool"] = "file", "/opt/lab/hs"
	for _, a := range []Action{argvAction("/opt/lab/hs", "resume"), argvAction("./tool"), argvAction("nice", "./tool"), scriptAction("./tool"), fileAction(Read, "tool")} {
		if d := w.decide(t, smallPolicyParsed(t), a); d.Verdict != Deny || d.Rule != "builtin.self" {
			t.Errorf("%s: %s by %s", a.Subject(), d.Verdict, d.Rule)
		}
	}
	if d := w.decide(t, smallPolicyParsed(t), argvAction("cat", "a.txt")); d.Verdict != Allow {
		t.Errorf("another program: %s by %s", d.Verdict, d.Rule)
	}
}

// TestOneFolderOfTwoNames: a folder that is both the workspace and the agent's own
// is the agent's.
func TestOneFolderOfTwoNames(t *testing.T) {
	w := labWorld()
	w.roots["state"] = work
	for range 30 { // roots have no order
		if d := w.decide(t, smallPolicyParsed(t), fileAction(Read, "a.txt")); d.Verdict != Deny || d.Rule != "builtin.self" {
			t.Fatalf("%s by %s", d.Verdict, d.Rule)
		}
	}
}

// TestStdio: the nodes that every program may use are read and written, never
// removed, and no other device goes by their side.
func TestStdio(t *testing.T) {
	w, p := labWorld(), smallPolicyParsed(t)
	w.attended = true
	for _, node := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		w.files[node] = "device"
		for op, want := range map[FileOp]Verdict{Read: Allow, Write: Allow, Remove: Deny} {
			if d := w.decide(t, p, fileAction(op, node)); d.Verdict != want {
				t.Errorf("%s %s: %s by %s", op, node, d.Verdict, d.Rule)
			}
		}
	}
	for _, other := range []string{"/dev/null/../sda", "/dev/mem", "//dev/sda"} {
		if d := w.decide(t, p, fileAction(Read, other)); d.Verdict != Deny {
			t.Errorf("%s: %s by %s", other, d.Verdict, d.Rule)
		}
	}
}

// TestWhatIsNotThere: a path that a rule wants to exist, and one that nobody could
// look up, are denied.
func TestWhatIsNotThere(t *testing.T) {
	p, err := Parse("p.toml", []byte(`
version = 1
unlisted = "ask"
[[file]]
root = "workspace"
ops = ["read", "write"]
why = "work"
[[exec]]
argv = ["show", "{path:exists}"]
why = "looking"
[[exec]]
argv = ["tool", "{rest...}"]
why = "anything"
`))
	if err != nil {
		t.Fatal(err)
	}
	w := labWorld()
	for name, want := range map[string]string{"a.txt": "allow exec.show", "gone.txt": "deny builtin.lookup"} {
		if d := w.decide(t, p, argvAction("show", name)); d.Verdict.String()+" "+d.Rule != want {
			t.Errorf("%s: %s by %s: %s", name, d.Verdict, d.Rule, d.Reason)
		}
	}
	for _, a := range []Action{argvAction("tool", "/etc/shadow"), argvAction("tool", "--in=/etc/shadow"), argvAction("frob", "/etc/shadow")} {
		f := w.complete(t, p, a)
		f.Attended = true
		f.Paths = map[string]Path{a.Command().Cwd: f.Paths[a.Command().Cwd]}
		if d := p.Decide(a, f); d.Verdict != Deny || d.Rule != "builtin.lookup" {
			t.Errorf("%+v: %s by %s", a.Command().Argv, d.Verdict, d.Rule)
		}
	}
}

// TestCase134_LinkLeadsOut names the link.
func TestCase134_LinkLeadsOut(t *testing.T) {
	d := labWorld().decide(t, labPolicy(t), fileAction(Read, "etc/hostname"))
	if want := `"etc/hostname" may not be read: it leads through a link out of its folder, to "/etc/hostname"`; d.Verdict != Deny || d.Reason != want {
		t.Errorf("%+v", d)
	}
}

// TestCase136_LinkToNothing refuses to create a file through a link.
func TestCase136_LinkToNothing(t *testing.T) {
	if d := labWorld().decide(t, labPolicy(t), fileAction(Write, "draft.txt")); d.Verdict != Deny || !strings.Contains(d.Reason, "/tmp/not-yet") {
		t.Errorf("%+v", d)
	}
}

// TestCase137_DeepBelowALink refuses new folders below a linked one.
func TestCase137_DeepBelowALink(t *testing.T) {
	for _, path := range []string{"out/new/deep/a.txt", "a/../../b"} {
		if d := labWorld().decide(t, labPolicy(t), fileAction(Write, path)); d.Verdict != Deny {
			t.Errorf("%s: %+v", path, d)
		}
	}
}

// TestCase139_SecretPathWhateverTheProgram denies a path in the policy and tries
// to reach it in every way.
func TestCase139_SecretPathWhateverTheProgram(t *testing.T) {
	p, err := Parse("p.toml", []byte(`
version = 1
unlisted = "ask"
[[file]]
root = "workspace"
ops = ["read", "write"]
why = "work"
[[file]]
path = "/**"
ops = ["read"]
why = "everything may be read"
[[file]]
id = "secrets"
path = "~/.config/agent/secrets/"
ops = ["read", "write"]
verdict = "deny"
why = "secrets of the agent"
[[exec]]
argv = [["cat", "cp", "head", "tar", "dd"], "{rest...}"]
why = "anything"
`))
	if err != nil {
		t.Fatal(err)
	}
	const key = "/home/lab/.config/agent/secrets/key"
	actions := []Action{
		argvAction("cat", key), argvAction("cp", key, "x"), argvAction("head", "-c", "10", key), argvAction("tar", "cf", "-", key), argvAction("dd", "if="+key), fileAction(Read, key),
		argvAction("frob", "--in="+key), argvAction("frob", "-f"+key), argvAction("frob", "@"+key), argvAction("cat", "../.config/agent/secrets/key"), argvAction("cat", "keylink"),
		argvAction("ls", "/home/lab/.config/agent/secrets"), fileAction(List, "/home/lab/.config/agent/secrets"), scriptAction("cat ~/.config/agent/secrets/key"), scriptAction("cat < " + key),
		scriptAction("cd /home/lab/.config/agent && cat secrets/key"), argvAction("sh", "-c", "cat "+key), argvAction("env", "cat", key),
	}
	for _, home := range []string{"/home/lab", ""} { // and where the home folder isn't known
		for _, a := range actions {
			w := labWorld()
			w.attended = true
			w.roots["home"] = home
			w.links[work+"/keylink"] = key
			w.files["/home/lab/.config/agent"] = "dir"
			if d := w.decide(t, p, a); d.Verdict != Deny {
				t.Errorf("home %q, %s: %+v", home, a.Subject(), d)
			}
		}
	}
	if d := labWorld().decide(t, p, argvAction("cat", "/srv/other")); d.Verdict != Allow {
		t.Errorf("another path: %+v", d)
	}
}

// TestEverySecretForm tries each pattern of the list where such a file may lie: at the
// root of the workspace, in a folder, in a hidden one, in large letters, and behind a
// link with an innocent name; by reading, listing and writing, and as a file that
// commands would find by themselves.
func TestEverySecretForm(t *testing.T) {
	p := labPolicy(t)
	i := slices.IndexFunc(p.Rules(), func(r Rule) bool { return r.ID == "builtin.secret" })
	_, list, _ := strings.Cut(p.Rules()[i].Form, ": ")
	for _, form := range strings.Fields(list) {
		name := strings.NewReplacer("**", "x", "*", "a").Replace(strings.TrimPrefix(form, "**/"))
		places := []string{name}
		if !strings.HasPrefix(form, "/") {
			places = nil
			for _, dir := range []string{"", "keys/", ".cache/", "a/.b/c/"} {
				places = append(places, work+"/"+dir+name, work+"/"+dir+strings.ToUpper(name), "/srv/"+dir+name)
			}
		}
		for _, place := range places {
			w := labWorld()
			w.files[place], w.links[work+"/plain.txt"] = "file", place
			for _, path := range []string{place, work + "/plain.txt"} {
				for _, op := range []FileOp{Read, List, Write} {
					d := w.decide(t, p, Action{Tool: "read", Kind: &File{Op: op, Path: path}})
					if d.Verdict != Deny {
						t.Errorf("%s: %s of %s is %s by %s", form, op, path, d.Verdict, d.Rule)
					}
				}
				for _, words := range [][]string{{"cat", path}, {"cp", path, "copy"}, {"tar", "cf", "a.tar", path}, {"grep", "-c", "x", path}} {
					if d := w.decide(t, p, argvAction(words...)); d.Verdict != Deny {
						t.Errorf("%s: %v is %s by %s", form, words, d.Verdict, d.Rule)
					}
				}
			}
			if !p.Unreadable(w.complete(t, p, argvAction("ls")), place) {
				t.Errorf("%s: commands that go through folders see %s", form, place)
			}
		}
	}
}
