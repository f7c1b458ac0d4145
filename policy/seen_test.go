package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seenPolicy knows no program, so that every command becomes a question that
// names it.
const seenPolicy = `
version = 1
unlisted = "ask"
[[file]]
root = "workspace"
ops = ["read", "write"]
why = "w"
`

// seen lists the commands that the policy finds in an action, in the order of
// their first appearance, and the rule that denies when one does.
func seen(t *testing.T, p *Policy, a Action) (commands []string, rule string) {
	t.Helper()
	w := labWorld()
	w.attended = true
	f := Facts{Attended: true, Roots: w.roots, Programs: map[string]Program{}, Paths: map[string]Path{}, Globs: map[string][]string{}}
	for range 5 {
		_, s := p.Try(a, f)
		for _, word := range s.Programs {
			f.Programs[word] = Program{Path: "/usr/bin/" + word, Real: "/usr/bin/" + word}
		}
		for _, text := range s.Paths {
			f.Paths[text] = w.look(text)
		}
		for _, g := range s.Globs {
			f.Globs[g] = w.expand(g)
		}
	}
	h := p.evaluation(a, f)
	h.judge()
	for _, found := range h.found {
		if found.rule == "unlisted" {
			command, _, _ := strings.Cut(found.reason, ": the policy")
			if !slices.Contains(commands, command) {
				commands = append(commands, command)
			}
		}
	}
	if d := h.decision(); d.Verdict == Deny {
		rule = d.Rule
	}
	return commands, rule
}

// TestCommandsOfScripts looks at what is seen in shell text: each command with
// the words that it will get. A rule behind ! is the one that denies.
func TestCommandsOfScripts(t *testing.T) {
	tests := []struct {
		script string
		want   []string
	}{
		{"a", []string{"a"}},
		{"a b  c", []string{"a b c"}},
		{"a; b & c", []string{"a", "b", "c"}},
		{"a | b | c", []string{"a", "b", "c"}},
		{"a && b || c", []string{"a", "b", "c"}},
		{"! a", []string{"a"}},
		{"(a; (b))", []string{"a", "b"}},
		{"{ a; b; }", []string{"a", "b"}},
		{"a\nb\n\n\nc\n", []string{"a", "b", "c"}},
		{"a \\\n b", []string{"a b"}},
		{"a # b", []string{"a"}},
		{"# a", []string{"!builtin.default"}},
		{"a#b c", []string{`"a#b" c`}},

		{`a 'b c' "d e"`, []string{`a "b c" "d e"`}},
		{`a b\ c`, []string{`a "b c"`}},
		{`a\b "c"'d'e`, []string{"ab cde"}},
		{`a '' ""`, []string{`a "" ""`}},
		{`a '$x' "\$x" \$x`, []string{`a "$x" "$x" "$x"`}},
		{`a "b\c" 'b\c' b\\c`, []string{`a "b\\c" "b\\c" "b\\c"`}},
		{`a "\""`, []string{`a "\""`}},
		{`a '*' "?" \[x]`, []string{`a "*" "?" "[x]"`}},
		{"a b{}c", []string{`a "b{}c"`}},
		{"a [ ]", []string{`a "[" "]"`}},
		{"a é", []string{"a é"}},

		{"X=1; a $X \"$X\" ${X}2", []string{"a 1 1 12"}},
		{"X='b c'; a \"$X\"", []string{`a "b c"`}},
		{"X=; a $X b", []string{"a b"}},
		{"X=; a \"$X\" b", []string{`a "" b`}},
		{"X=1 Y=2; a $X$Y", []string{"!unlisted"}}, // several at once may fail half-way
		{"X=1; Y=$X-2; a $Y", []string{"a 1-2"}},
		{"X=a.txt; b ${X%.txt} ${X%.*} ${X##*/} ${X#a}", []string{"b a a a.txt .txt"}},
		{"X=d/a.txt; b ${X##*/}", []string{"b a.txt"}},
		{"X=1; if a; then X=2; fi; b $X", []string{"a", "b 2", "b 1"}},
		{"X=1; if a; then X=2; else X=3; fi; b $X", []string{"a", "b 2", "b 3"}},
		{"if a; then b; elif c; then d; else e; fi", []string{"a", "b", "c", "d", "e"}},
		{"X=1; a && X=2; b $X", []string{"a", "b 1", "b 2"}},
		{"X=1; a || X=2; b $X", []string{"a", "b 1", "b 2"}},
		{"X=1; (X=2); a $X", []string{"a 1"}},
		{"X=1; { X=2; }; a $X", []string{"a 2"}},
		{"X=1; X=2 | a; b $X", []string{"a", "b 1"}},
		{"X=1; X=2 & a $X", []string{"a 1"}},
		{"X=1; case y in z) X=2;; w) X=3;; esac; a $X", []string{"a 1", "a 2", "a 3"}},
		{"X=1; X=2 < a.txt; b $X", []string{"b 1", "b 2"}},
		{"X=1; unset X; a \"$X\"", []string{`a ""`}},
		{"X=1; read X; a \"$X\"", []string{"!unlisted"}},
		{"a \"$X\"", []string{"!unlisted"}},
		{"a $#", []string{"!unlisted"}},

		{"for i in 1 2; do a $i; done", []string{"a 1", "a 2"}},
		{"for i in 1 2; do for j in x y; do a $i$j; done; done", []string{"a 1x", "a 2x", "a 1y", "a 2y"}},
		{"for i in 1 2; do a $i; b $i; done; c $i", []string{"a 1", "a 2", "b 1", "b 2", "!unlisted"}},
		{"for i in; do a; done", []string{"a"}},
		{"for f in *.md notes/*; do a \"$f\"; done", []string{`a "*.md"`, "a notes/board.md"}},
		{"a notes/*.md sub/*", []string{"a notes/board.md sub/x.txt"}},
		{"a '*'.md", []string{`a "*.md"`}},
		{"a sub/[!y].txt", []string{"a sub/x.txt"}},
		{"X=1; while a; do X=2; b $X; done; c $X", []string{"a", "b 2", "c 1", "c 2"}},
		{"X=1; while a; do b $X; X=2; done", []string{"a", "b 1", "b 2"}},
		{"X=1; while a; do X=2; break; X=3; done; c $X", []string{"a", "c 1", "c 2", "c 3"}},
		{"X=1; for i in 1; do for j in 1; do X=2; continue 2; X=3; done; X=4; done; c $X", []string{"c 1", "c 4", "c 2"}},
		{"A=1; B=2; while c; do a $A; A=$B; B=3; done", []string{"c", "a 1", "a 2", "a 3"}},
		{"until a; do b; done", []string{"a", "b"}},
		{"case a in b) c;; d|e) f;; esac", []string{"c", "f"}},

		{"a > out.txt 2>&1 < in.txt >> b.txt", []string{"a"}},
		{"a <<E\nx $X\nE\nb", []string{"a", "b"}},
		{"a <<'E'\n$(b)\nE\n", []string{"a"}},
		{"a <<E\n$(b c)\nE\n", []string{"b c", "a"}},
		{"a `b` \"$(c)\"", []string{"b", "c", "!unlisted"}},
		{"X=$(a $(b)); c", []string{"b", "c", "!unlisted"}},
		{"a $((1 + 2))", []string{"!unlisted"}},
		{"LANG=C a", []string{"a"}},
		{"cd sub && a x.txt", []string{"a x.txt"}},
		{"command a b", []string{"a b"}},
		{"command -v a; type b; : c; exit 1", nil},

		{"$a", []string{"!builtin.computed"}},
		{"a; b() { c; }", []string{"a", "!builtin.shell"}},
		{"eval a", []string{"!builtin.shell"}},
		{"a ~/x", []string{"!builtin.shell"}},
		{"a {b,c}", []string{"!builtin.shell"}},
		{"a {1..3}", []string{"!builtin.shell"}},
		{"a $'b'", []string{"!builtin.shell"}},
		{"a x=~/b", []string{"!builtin.shell"}},
		{"a [[:alpha:]]", []string{"!builtin.shell"}},
		{"a *$X", []string{"!builtin.shell"}},
		{"X=~; a", []string{"!builtin.shell"}},
		{"X='a b'; c $X", []string{"!builtin.shell"}},
		{"PATH=x; a", []string{"!builtin.env"}},
		{"FOO=1 a", []string{"!builtin.env", "a"}},
		{"a 'b", []string{"!builtin.syntax"}},
		{"a )", []string{"!builtin.syntax"}},
		{"a # b \\\nc", []string{"!builtin.syntax"}},
		{"a > $(b)", []string{"b", "!builtin.shell", "a"}},
		{"a >&x", []string{"!builtin.shell", "a"}},
		{"a 3>/srv/x", []string{"!builtin.outside", "a"}},
		{"cd a.txt && b", []string{"!builtin.shell", "b"}},
		{"cd .. && b", []string{"!builtin.shell", "b"}},
		{"X=$((Y=1)); a", []string{"!builtin.shell", "a"}},
		{"X=b; a $((X))", []string{"!builtin.shell"}},
	}
	p, err := Parse("seen.toml", []byte(seenPolicy))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		commands, rule := seen(t, p, scriptAction(tt.script))
		compareSeen(t, tt.script, tt.want, commands, rule)
	}
}

// compareSeen compares the commands as a set of lines, and the denying rule.
func compareSeen(t *testing.T, name string, want, commands []string, rule string) {
	t.Helper()
	wantRule, wantCommands := "", []string(nil)
	for _, w := range want {
		if r, ok := strings.CutPrefix(w, "!"); ok {
			wantRule = r
		} else {
			wantCommands = append(wantCommands, w)
		}
	}
	if wantRule != "" && rule == wantRule && !slices.ContainsFunc(wantCommands, func(w string) bool { return !slices.Contains(commands, w) }) {
		return // what a denied script would have run does not matter in full
	}
	slices.Sort(wantCommands)
	slices.Sort(commands)
	if diff := cmp.Diff(wantCommands, commands); diff != "" || rule != wantRule {
		t.Errorf("%q: denied by %q, want %q; commands:\n%s", name, rule, wantRule, diff)
	}
}

// TestCommandsOfWrappers looks at what is seen in words that carry a command.
func TestCommandsOfWrappers(t *testing.T) {
	tests := []struct {
		argv string
		want []string
	}{
		{"nice a b", []string{"a b"}},
		{"nice -n 5 a", []string{"a"}},
		{"nice -n5 a", []string{"a"}},
		{"nice -10 a", []string{"a"}},
		{"nice --adjustment=5 a", []string{"a"}},
		{"nice -- a -x", []string{"a -x"}},
		{"nice", []string{"!builtin.wrapper"}},
		{"nice -x a", []string{"!builtin.wrapper"}},
		{"nice -n", []string{"!builtin.wrapper"}},
		{"env a", []string{"a"}},
		{"env - a", []string{"a"}},
		{"env -i LANG=C TZ=UTC a b=c", []string{"a b=c"}},
		{"env -u X a", []string{"a"}},
		{"env --unset=X a", []string{"a"}},
		{"env -S a", []string{"!builtin.wrapper"}},
		{"env -iS a", []string{"!builtin.wrapper"}},
		{"env --split-string=a", []string{"!builtin.wrapper"}},
		{"env -C / a", []string{"!builtin.wrapper"}},
		{"env --chdir=/ a", []string{"!builtin.wrapper"}},
		{"env PATH=x a", []string{"!builtin.env", "a"}},
		{"env X=1 a", []string{"!builtin.env", "a"}},
		{"env", []string{"env"}},
		{"env LANG=C", []string{"!builtin.wrapper"}},
		{"timeout 5 a", []string{"a"}},
		{"timeout -s KILL -k 1 5s a -x", []string{"a -x"}},
		{"timeout --signal=KILL --foreground 5 a", []string{"a"}},
		{"timeout 5", []string{"!builtin.wrapper"}},
		{"nohup a", []string{"a"}},
		{"setsid a", []string{"a"}},
		{"setsid -f a", []string{"a"}},
		{"stdbuf -oL -e 0 a", []string{"a"}},
		{"stdbuf --output=L a", []string{"a"}},
		{"ionice -c 3 a", []string{"a"}},
		{"ionice -p 1", []string{"!builtin.wrapper"}},
		{"chrt -b 0 a", []string{"a"}},
		{"chrt -f 99 a", []string{"!builtin.wrapper"}},
		{"taskset 1 a", []string{"a"}},
		{"taskset -c 0,1 a", []string{"a"}},
		{"taskset -p 1 2", []string{"!builtin.wrapper"}},
		{"time -p a", []string{"a"}},
		{"time -o x a", []string{"!builtin.wrapper"}},
		{"flock a.txt a b", []string{"a b"}},
		{"flock -n -w 3 a.txt a", []string{"a"}},
		{"flock a.txt -c a", []string{"a"}},
		{"flock /srv/x a", []string{"!builtin.outside", "a"}},
		{"xargs", []string{"!unlisted"}},
		{"xargs a", []string{"!unlisted"}},
		{"xargs -I {} a {} b", []string{"!unlisted"}},
		{"xargs -a f a", []string{"!builtin.wrapper"}},
		{"xargs sh -c a", []string{"a"}},
		{"find . -name x", []string{"find . -name x"}},
		{"find . -exec a b ;", []string{"a b", "find ."}},
		{"find . -exec a b + -print", []string{"!builtin.wrapper"}},
		{"find . -exec a {} + -print", []string{"!unlisted", "find . -print"}},
		{"find . -exec a ; -ok b ;", []string{"a", "b", "find ."}},
		{"find . -exec", []string{"!builtin.wrapper"}},
		{"find . -exec ;", []string{"!builtin.wrapper"}},
		{"busybox a b", []string{"a b"}},
		{"busybox sh -c a", []string{"a"}},
		{"busybox nice a", []string{"a"}},
		{"busybox", []string{"!builtin.wrapper"}},
		{"busybox --install", []string{"!builtin.wrapper"}},
		{"busybox /bin/a", []string{"!builtin.wrapper"}},
		{"sh -c a", []string{"a"}},
		{"sh -ec a", []string{"a"}},
		{"sh -e -u -c a", []string{"a"}},
		{"sh -c a x y", []string{"a"}},
		{"dash -c a", []string{"a"}},
		{"bash -c a", []string{"a"}},
		{"bash -lc a", []string{"!builtin.wrapper"}},
		{"bash --rcfile x -c a", []string{"!builtin.wrapper"}},
		{"bash -O extglob -c a", []string{"!builtin.wrapper"}},
		{"zsh -c a", []string{"!builtin.wrapper"}},
		{"fish -c a", []string{"!builtin.wrapper"}},
		{"sh", []string{"!builtin.inline"}},
		{"sh -s", []string{"!builtin.wrapper"}},
		{"sh -c", []string{"!builtin.inline"}},
		{"sh /srv/x.sh", []string{"!builtin.outside"}},
		{"sh run.sh", nil},
		{"nice timeout 5 env LANG=C a", []string{"a"}},
	}
	p, err := Parse("seen.toml", []byte(seenPolicy))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		commands, rule := seen(t, p, argvAction(strings.Fields(tt.argv)...))
		compareSeen(t, tt.argv, tt.want, commands, rule)
	}
}
