package policy

import (
	"strings"
	"testing"
)

// Programs that only read may get the names that xargs or find bring, in the complete
// sandbox, which shows them nothing but what is open. Nowhere else may anything be
// given words that nobody can foresee.
func TestFoundNames(t *testing.T) {
	p := labPolicy(t)
	asking, err := Parse("ask.toml", []byte("version = 1\n[[file]]\nroot = \"workspace\"\nops = [\"read\"]\nwhy = \"w\"\n[[file]]\nroot = \"workspace\"\npath = \"plans/**\"\nops = [\"read\"]\nverdict = \"ask\"\nwhy = \"w\"\n[[exec]]\nargv = [\"cat\", \"{path:read...}\"]\nreads = true\nwhy = \"w\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	script := func(s string) Action { return scriptAction(s) }
	for _, a := range []Action{
		script("find . -name '*.log' | xargs grep -n fan"),
		script("find . -type f -print | xargs -r wc -l"),
		script("ls notes | xargs -I{} head -n 2 notes/{}"),
		script("grep -rl fan . | xargs -n 1 basename"),
		script("find . -name '*.md' | xargs ls -l"),
		script("find . -name '*.c' | xargs cat | wc -l"),
		script("find . -type f | xargs sha256sum | sort"),
		script("find notes -type f | xargs -P 2 tail -n 1"),
		script("cat in.txt | xargs stat -c %s"),
		script("find . -type f -exec du -k {} + | sort -n"),
		argvAction("find", ".", "-type", "f", "-exec", "grep", "-l", "fan", "{}", "+"),
		argvAction("find", ".", "-name", "*.log", "-exec", "tail", "-n", "3", "{}", ";"),
		argvAction("find", "notes", "-exec", "readlink", "-f", "{}", ";"),
		argvAction("find", ".", "-exec", "nice", "grep", "fan", "{}", ";"),
		argvAction("xargs", "grep", "-e", "fan"),
		argvAction("xargs", "timeout", "5", "cat"),
		script("ls /usr/bin | xargs cat"), // and no listing is granted that cat could open
	} {
		w := labWorld()
		w.confined = true
		if d := w.decide(t, p, a); d.Verdict != Allow || d.Grants != nil && len(d.Grants.List) > 0 {
			t.Errorf("%s is %s by %s: %s %+v", text(a), d.Verdict, d.Rule, d.Reason, d.Grants)
		} else if !strings.Contains(reasons(t, w, p, a), "the names are found later") && !strings.Contains(text(a), "basename") {
			t.Errorf("%s: %s", text(a), d.Reason)
		}
		w.confined = false
		if d := w.decide(t, p, a); d.Verdict != Deny && !strings.Contains(text(a), "basename") {
			t.Errorf("without the whole sandbox %s is %s by %s", text(a), d.Verdict, d.Rule)
		}
	}
	for _, a := range []Action{
		script("find . -name x | xargs rm"),
		script("find . -name x | xargs touch"),
		script("find . | xargs cp -t out"),
		script("find . | xargs tee"),
		script("find . | xargs sort"),       // -o writes
		script("find . | xargs uniq"),       // the second word is written to
		script("find . | xargs xxd"),        // the same
		script("find . | xargs file"),       // -C writes
		script("find . | xargs diff a.txt"), // -l starts pr
		script("find . | xargs zgrep fan"),  // a shell script around gzip
		script("find . | xargs awk '{print}'"),
		script("find . | xargs sed -n 1p"),
		script("find . | xargs jq ."),
		script("find . | xargs find"),
		script("find . | xargs tar cf a.tar"),
		script("find . | xargs git log"),
		script("find . | xargs python3"),
		script("find . | xargs -I{} sh -c 'cat {}'"),
		script("find . -exec sh -c 'cat \"$1\"' x {} ';'"),
		script("find . | xargs" + " env LD_PRELOAD=x cat"),
		script("find . | xargs -I{} {} x"),
		script("find . | xargs -I{} cat /etc/{}"),
		argvAction("xargs", "-I", "R", "cat", "../R"),
		script("find . -exec cat /proc/1/{} ';'"),
		script("find . -execdir cat {} +"),
		script("find . | xargs cat /etc/shadow"),
		script("find . | xargs grep fan /var/lib/hardshell/hardshell.db"),
		script("find /etc | xargs cat"),
		script("find . | xargs cat > /etc/motd"),
		script("tail -n $X log.txt"),
		script(`cat "$X"`),
		script("cat $(find . -name x)"),
		script(`for f in $(ls); do cat "$f"; done`),
		script(`sh -c 'cat "$@"' x a.txt`),
		argvAction("find", ".", "-exec", "cat", "{}", "+", "-delete"),
		argvAction("find", ".", "-ok", "rm", "{}", ";"),
	} {
		w := labWorld()
		w.confined = true
		if d := w.decide(t, p, a); d.Verdict != Deny {
			t.Errorf("%s is %s by %s: %s", text(a), d.Verdict, d.Rule, d.Reason)
		}
	}
	// Where a path is only read with a person's yes, nothing may find it by itself.
	w := labWorld()
	w.confined = true
	if d := w.decide(t, asking, argvAction("xargs", "cat")); d.Verdict != Deny {
		t.Errorf("xargs cat passes by a question: %+v", d)
	}
}

// reasons are the reasons of every rule that spoke, one a line.
func reasons(t *testing.T, w *world, p *Policy, a Action) string {
	x, _ := w.explain(t, p, a)
	var all []string
	for _, part := range x.Parts {
		for _, s := range part.Said {
			all = append(all, s.Reason)
		}
	}
	return strings.Join(all, "\n")
}

// A rule can't say reads of a program that its own form lets write.
func TestReadsIsForReading(t *testing.T) {
	for _, rule := range []string{
		`argv = ["a", "{path:write}"]`, `argv = ["a", "{path:remove...}"]`, `argv = ["a", "{awk}"]`, `argv = ["a", "{rest...}"]`, "argv = [\"a\", \"{flags}\"]\nflags = [\"-o {path:write}\"]",
		"argv = [\"a\", \"{flags}\"]\nflags = [\"--out={path:write}\"]", "argv = [\"a\", \"{path:device}\"]", "argv = [\"a\"]\nverdict = \"ask\"", "argv = [\"a\"]\nverdict = \"deny\"", "argv = [\"a\"]\nconfined = true",
	} {
		if _, err := Parse("p.toml", []byte("version = 1\n[[exec]]\nwhy = \"w\"\nreads = true\n"+rule+"\n")); err == nil || !strings.Contains(err.Error(), "reads is for rules that allow reading") {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// A rule's note goes along with what is allowed, once, and with nothing else.
func TestNotes(t *testing.T) {
	p := labPolicy(t)
	w := labWorld()
	if d := w.decide(t, p, scriptAction("ps aux; ps -ef | grep fan; ss -tln")); d.Grants == nil || len(d.Grants.Notes) != 2 || !strings.Contains(d.Grants.Notes[0], "own processes") {
		t.Errorf("%+v", d.Grants)
	}
	if d := w.decide(t, p, scriptAction("ps aux; reboot")); d.Grants != nil {
		t.Errorf("%+v", d.Grants)
	}
	if d := w.decide(t, p, argvAction("dmesg", "-T")); d.Verdict != Deny || !strings.Contains(d.Reason, "read /var/log/kern.log") {
		t.Errorf("%+v", d)
	}
}
