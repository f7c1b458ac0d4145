package policy

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// FuzzParse reads any bytes as a policy file: no panic, and a file that is read
// can't open what is built in.
func FuzzParse(f *testing.F) {
	lab, err := os.ReadFile("../deploy/jetson/policy.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(lab)
	for _, s := range []string{smallPolicy, "", "version = 1", "version = 1\n[[exec]]\nargv = [[\"a\", \"b\"], \"{path:read *.c...}\"]\nwhy = \"w\"\n", "\xef\xbb\xbfversion = 1\r\n", "[[a]]\n[a.b]\n[[a.b.c]]\n", "a.b.c = {d = [1, {e = 2}]}\n", "version = 1\n[[exec]]\nargv = [\"cat\"]\nwhy = \"w\"\nmatch = [[\"cat\"]]\n", "\xff", "x = 1979-05-27", "version = 1\n[[file]]\npath = \"/**\"\nops = [\"read\", \"write\"]\nwhy = \"w\"\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := Parse("f.toml", src)
		if (p == nil) == (err == nil) {
			t.Fatal("either a policy or an error")
		}
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
			return
		}
		w := labWorld()
		w.attended = true
		for _, a := range []Action{argvAction("agent", "halt"), fileAction(Read, "/var/lib/hardshell/hardshell.db"), fileAction(Write, "/etc/hardshell/policy.toml"), {}} {
			if d := w.decide(t, p, a); d.Verdict != Deny {
				t.Fatalf("a policy file opened %s: %+v", a.Subject(), d)
			}
		}
	})
}

// FuzzArgv judges any words: no panic; what is allowed is allowed with a person
// as well; a wrapper never gets a milder verdict than what it carries.
func FuzzArgv(f *testing.F) {
	p := labPolicy(f)
	for _, form := range append(readForms(f, "testdata/bypass.tsv"), readForms(f, "testdata/ordinary.tsv")...) {
		if form.action.Command().Argv != nil {
			f.Add(strings.Join(form.action.Command().Argv, "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, words string) {
		argv := strings.Split(words, "\n")
		w := labWorld()
		alone := w.decide(t, p, argvAction(argv...))
		w.attended = true
		attended := w.decide(t, p, argvAction(argv...))
		if alone.Verdict == Ask || attended.Verdict < alone.Verdict {
			t.Fatalf("%q: alone %s, with a person %s", argv, alone.Verdict, attended.Verdict)
		}
		for _, wrapped := range [][]string{{"nice"}, {"timeout", "5"}, {"env", "LANG=C", "nice"}} {
			if d := w.decide(t, p, argvAction(append(wrapped, argv...)...)); d.Verdict > attended.Verdict && !strings.HasPrefix(argv[0], "-") && !strings.Contains(argv[0], "=") {
				t.Fatalf("%q is %s, and behind %q %s by %s", argv, attended.Verdict, wrapped, d.Verdict, d.Rule)
			}
		}
		// Unknown facts never help.
		if d := p.Decide(argvAction(argv...), Facts{Attended: true, Roots: w.roots}); d.Verdict == Allow {
			t.Fatalf("%q is allowed without a look-up", argv)
		}
	})
}

// FuzzScript judges any shell text: no panic, and the verdict is never milder than
// the strictest of the simple commands that stand in it.
func FuzzScript(f *testing.F) {
	p := labPolicy(f)
	for _, form := range append(readForms(f, "testdata/bypass.tsv"), readForms(f, "testdata/ordinary.tsv")...) {
		if s := form.action.Command().Script; s != "" && len(s) < 2000 {
			f.Add(s)
		}
	}
	for _, s := range soup {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w := labWorld()
		w.attended, w.confined = true, true
		d := w.decide(t, p, scriptAction(text))
		for _, argv := range literalCommands(text) {
			part := w.decide(t, p, argvAction(argv...))
			if part.Verdict < d.Verdict && !slices.Contains(shellSelf, argv[0]) {
				t.Fatalf("%q is %s, and its part %q is %s by %s: %s", text, d.Verdict, argv, part.Verdict, part.Rule, part.Reason)
			}
		}
		if e := w.decide(t, p, scriptAction("true; "+text)); d.Verdict == Deny && d.Rule != "builtin.default" && d.Rule != "builtin.kind" && e.Verdict != Deny {
			t.Fatalf("%q is denied, and %s behind another command", text, e.Verdict)
		}
	})
}

// shellSelf are words that the shell runs by itself, so that as argv they are
// something else.
var shellSelf = []string{":", "exit", "return", "break", "continue", "wait", "times", "jobs", "cd", "set", "read", "export", "unset", "type", "command", "[", "test", "printf"}

// literalCommands finds the simple commands of a script that are plain words and
// run in the folder of the script.
func literalCommands(text string) [][]string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err != nil || strings.Contains(text, "cd") {
		return nil
	}
	var out [][]string
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		if !ok || len(c.Args) == 0 {
			return true
		}
		var argv []string
		for _, a := range c.Args {
			s, ok := literalWord(a)
			if !ok {
				return true
			}
			argv = append(argv, s)
		}
		out = append(out, argv)
		return true
	})
	return out
}

// literalWord is the text of a word in which nothing expands.
func literalWord(w *syntax.Word) (string, bool) {
	if w.Lit() == "[" {
		return "[", true
	}
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[~{$") {
				return "", false
			}
			b.WriteString(unescaped(p.Value, ""))
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok || p.Dollar {
					return "", false
				}
				b.WriteString(unescaped(lit.Value, "$`\"\\\n"))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescaped takes out the backslashes before these characters, before any when there
// are none.
func unescaped(s, before string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (before == "" || strings.IndexByte(before, s[i+1]) >= 0) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
