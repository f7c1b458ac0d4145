package policy

import (
	"strings"
	"testing"
)

// TestConstructs judges shell text that no program's rule is about: what the shell
// does with it decides. The reason is given by its beginning.
func TestConstructs(t *testing.T) {
	const (
		shell   = "deny builtin.shell: "
		syntax  = "deny builtin.syntax: the script can't be parsed as POSIX shell: "
		env     = "deny builtin.env: "
		wrapper = "deny builtin.wrapper: "
		inline  = "deny builtin.inline: "
	)
	for script, want := range map[string]string{
		// What is no POSIX shell.
		"coproc ls":                        shell + `"coproc" changes what later words mean`,
		"ls &!":                            syntax,
		"ls |& wc":                         syntax,
		"case x in x) ls ;& y) id ;; esac": syntax,
		"case x in x) ls ;;& esac":         syntax,
		"function f { ls; }":               syntax,
		"select x in a b; do ls; done":     syntax,
		"for ((i=0;i<3;i++)); do ls; done": syntax,
		"for i in 1 2; { ls; }":            syntax,
		"echo ${ ls; }":                    syntax,
		"echo <(ls)":                       syntax,
		"echo @(a|b)":                      syntax,
		"echo $[1+1]":                      shell + "a $ before a quote",
		"echo ${x:0:1}":                    syntax,
		"echo ${x/a/b}":                    syntax,
		"echo ${!x}":                       syntax,
		"echo ${x@Q}":                      syntax,
		"cat <<<x":                         syntax,
		"ls {fd}>x":                        syntax,
		"ls &>x":                           syntax,
		"a=(1 2)":                          syntax,
		"[[ a = a ]]":                      "deny builtin.computed: ",
		"((1))":                            shell + "(( is arithmetic in some shells",
		"for i; do ls; done":               shell + "only for NAME in WORDS is judged",
		"echo $'a'":                        shell + "a $ before a quote",
		`echo $"a"`:                        shell + "a $ before a quote",
		"echo ${1:-a}":                     shell + "an expansion of that kind",
		"echo ${x:=a}":                     shell + "${NAME:=…} sets a variable in passing",
		// Sums.
		"x=1; echo $((x+1))":                    "allow exec.echo: ",
		"x=1; echo $((x<=1 && x>=1 && x!=2))":   "allow exec.echo: ",
		"echo $(( $# + $? ))":                   "allow exec.echo: ",
		"x=log; echo $((${#x} + 1))":            "allow exec.echo: ",
		"x=1; echo $((x++))":                    shell + "a sum with an assignment",
		"x=1; echo $((--x))":                    shell + "a sum with an assignment",
		"x=1; echo $((x+=5))":                   shell + "a sum with an assignment",
		"x=1; echo $((x=5))":                    shell + "a sum with an assignment",
		"echo $((x))":                           shell + `a sum with "x", which may be no number`,
		"x=a; echo $(($x))":                     shell + `a sum with`,
		"echo $(($1 + 1))":                      shell + "a sum with an expansion that may be no number",
		"echo $(( ${#:-$(reboot)} + ${?:-2} ))": shell + "a sum with",
		"echo $((a[0]))":                        shell + `a sum with "a", which may be no number`,
		"echo $(( ${x:-$(reboot)} ))":           shell + "a sum with more than numbers and variables",
		"echo $(( ${#x:-$(reboot)} ))":          syntax,
		// Redirections.
		"ls 2>&-":       "allow exec.ls: ",
		"ls 2>&1":       "allow exec.ls: ",
		"ls >| a.txt":   "allow exec.ls: ",
		"ls >&x":        shell + "a redirection to a descriptor that is not a number",
		"ls >| /srv/x":  "deny builtin.outside: ",
		"cat <> /srv/x": "deny builtin.outside: ",
		// Variables.
		"x={a,b}; ls $x":                    shell + "braces with alternatives",
		"x=$((1+1))b; echo $x":              "allow exec.echo: ",
		"x=$((1+1))b; echo $(($x))":         shell + `a sum with`,
		"X=$(ls) ls":                        env + "the value of X for the command is not written out",
		"export $x":                         shell + "export with words that are not written out",
		"export LANG=C; ls":                 "allow exec.ls: ",
		"LANG=C; export LANG; ls":           "allow exec.ls: ",
		"export LANG=/etc/shadow; ls":       env + `the value "/etc/shadow" of LANG names a file`,
		"LANG=/etc/shadow; export LANG; ls": env + `the value "/etc/shadow" of LANG names a file`,
		"LANG=$(id); export LANG; ls":       env + "the value of LANG for programs is not known",
		"export X=1; ls":                    env + `"X" is not among the variables`,
		"read PATH":                         env + `"PATH" may not be set`,
		"unset PATH":                        env + `"PATH" may not be set`,
		"read x=1":                          shell + `read "x=1"`,
		"unset x; ls $x":                    "allow exec.ls: ",
		`read -r x; cat "$x"`:               "deny builtin.no-match: ",
		"for PATH in a b; do ls; done":      env + `"PATH" may not be set`,
		"for i in a b; do $i; done":         "deny builtin.computed: ",
		// A variable that grows in a loop ends as one that could be anything.
		`x=a; for i in 1 2 3 4 5 6 7 8; do x="${x}b"; echo "$x"; done`: "allow exec.echo: ",
		`x=a; for i in 1 2 3 4 5 6 7 8; do x="${x}b"; cat "$x"; done`:  "deny builtin.no-match: ",
		`x=.; while true; do x="$x/.."; cat "$x/etc/passwd"; done`:     "deny builtin.no-match: ",
		// Folders.
		"cd sub && ls *": "allow exec.ls: ls x.txt",
		"cd sub; ls *":   shell + "a name pattern after a cd that may fail",
		"cd a b":         shell + "cd without exactly one folder",
		"cd $x":          shell + "cd to a folder that is not plainly written out",
		// Words that carry others.
		"command -- ls":         "allow exec.ls: ",
		"command -- reboot":     "deny builtin.power: ",
		"command -p ls":         wrapper + "command -p ls can't be opened: its form is not known",
		"env LANG=$(id) ls":     wrapper,
		"timeout $(id) ls":      wrapper,
		"sh -c -- reboot":       "deny builtin.power: ",
		"sh -- -c ls":           "ask builtin.script-file: ",
		"nice - ls":             `ask unlisted: - ls`,
		`test "$x" = "$y"`:      shell,
		`[ "$x" = a ]`:          "allow exec.test: ",
		"test -v x":             shell,
		"command cd /tmp":       shell + "cd can't be carried by another word",
		"command read x":        shell + "read can't be carried by another word",
		"command export LANG=C": shell + "export can't be carried by another word",
		"command unset x":       shell + "unset can't be carried by another word",
		"test -R x":             shell,
		"timeout":               wrapper, "timeout 5": wrapper, "flock": wrapper, "env -u": wrapper, "nohup": wrapper,
		// Words whose value is cut, and those that shells read in more than one way.
		"ls >&\"$x\"": shell + "a redirection to a descriptor that is not a number",
		"echo a~b":    "allow exec.echo: ", "echo a=~/x": shell, "echo a:~lab/x": shell,
		`x=notes/log.txt; cat "${x##*/}"`:         "allow exec.cat: cat log.txt",
		`x=a/etc/shadow; cat "${x#a}"`:            "deny builtin.secret: ",
		`x=/etc/shadow.a; cat "${x%.a}"`:          "deny builtin.secret: ",
		`x=/etc/shadow.a; cat "${x%.*}"`:          "deny builtin.secret: ",
		`x=log.txt/etc/shadow; cat "${x##*.txt}"`: "deny builtin.no-match: ",
		`x=a/etc/shadow; cat "${x#?}"`:            "deny builtin.no-match: ",
		`x=/etc/shadow.a; cat "${x%.?}"`:          "deny builtin.no-match: ",
		`x=/etc/shadow.a.b; cat "${x%%.*}"`:       "deny builtin.no-match: ",
		"ls [^a]*":                                shell + "a name pattern that shells read differently",
		"ls [[:alpha:]]*":                         shell + "a name pattern that shells read differently",
		"ls [!d]*.tar":                            "allow exec.ls: ls a.tar",
		// A program text inside of a script.
		"python3 -V":                   "ask exec.python3: ",
		"python3 --version":            "ask exec.python3: ",
		"python3 -m json.tool log.txt": "ask exec.python3: ",
		"python3 -m":                   inline,
		"python3 -":                    inline,
		// Names.
		"cat " + strings.Repeat("a", 255):                "allow exec.cat: ",
		"cat " + strings.Repeat("a", 256):                "deny builtin.no-match: ",
		"cat " + strings.Repeat("a/", 130) + "a":         "allow exec.cat: ",
		"cat a/" + strings.Repeat("a", 256) + "/log.txt": "deny builtin.no-match: ",
		"for i in $(seq 3); do sh -c 'ls >&2 &!'; done":  syntax,
	} {
		d := judged(t, scriptAction(script), true)
		if got := d.Verdict.String() + " " + d.Rule + ": " + d.Reason; !strings.HasPrefix(got, want) {
			t.Errorf("%.80q: %.200s\nwant %s", script, got, want)
		}
	}
}

// TestFolderAllowsNoCommand: text that holds nothing to judge is denied like all that
// no rule speaks of, however open the folder is that it would run in.
func TestFolderAllowsNoCommand(t *testing.T) {
	for _, text := range []string{"# nothing", "\n\n", "case x in esac"} {
		if d := judged(t, scriptAction(text), true); d.Verdict != Deny || d.Rule != "builtin.default" {
			t.Errorf("%q: %s by %s: %s", text, d.Verdict, d.Rule, d.Reason)
		}
	}
}

// TestWordsOfTheShellAreProgramsElsewhere: only the shell itself knows them.
func TestWordsOfTheShellAreProgramsElsewhere(t *testing.T) {
	for _, word := range []string{"exit", "wait", ":", "cd", "set"} {
		for _, a := range []Action{argvAction(word), argvAction("nice", word)} {
			if d := judged(t, a, true); d.Verdict != Ask || d.Rule != "unlisted" {
				t.Errorf("%q: %s by %s: %s", text(a), d.Verdict, d.Rule, d.Reason)
			}
		}
	}
}
