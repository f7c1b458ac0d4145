package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/builtin"
	"hardshell/policy/wording"
)

// carrier judges programs that carry a command.
type carrier struct{ *evaluation }

// open opens a program that carries a command and judges both; it tells whether
// the program was one.
func (ev carrier) open(sc scope, name string, prog Program, ws []argv.Word) bool {
	names := []string{name, path.Base(prog.Path), path.Base(prog.Real)}
	inner := sc
	inner.depth++
	inner.applet, inner.shell = false, false
	for _, n := range names {
		does := builtin.AttributesOf(n)
		switch {
		case does.Wrapper != nil:
			if does.Wrapper.Alone && len(ws) == 1 {
				return false
			}
			ev.writable(prog, ws)
			ev.unwrap(inner, n, does.Wrapper, ws)
			return true
		case does.Applets:
			if n != name && n != path.Base(prog.Path) {
				continue // an applet under its own name
			}
			ev.writable(prog, ws)
			ev.applet(inner, ws)
			return true
		case slices.Contains(builtin.Shells, n):
			ev.writable(prog, ws)
			ev.shellCommand(inner, n, ws)
			return true
		case does.Finds:
			return ev.findCommand(sc, inner, prog, ws)
		case sc.script && builtin.RunsText(n) && builtin.Inline(ws[1:]):
			ev.deny("builtin.inline", fmt.Sprintf("%s gets program text inside a script, which is not judged", argv.Show(ws[:1])), "write the program into a file of the workspace and run that")
			return true
		}
	}
	return false
}

// writable denies a carrier that commands could have changed.
func (ev carrier) writable(prog Program, ws []argv.Word) {
	if prog.Writable || !builtin.InSystem(prog.Path) {
		ev.deny("builtin.writable", fmt.Sprintf("%s does not lie in a read-only system folder (%s)", wording.Quote(ws[0].Text), prog.Real), "use the system's own program")
		return
	}
	if n := ev.policy.narrowed; n != nil && n.hasExec && !slices.Contains(n.exec, "builtin.wrapper") {
		ev.add(match{rule: "profile." + n.name, verdict: Deny, why: n.why, reason: fmt.Sprintf("%s: the profile %s has no wrappers", ws[0].Text, n.name), hint: "run the inner command itself"})
		return
	}
	ev.add(match{rule: "builtin.wrapper", verdict: Allow, why: "wrappers are opened and what they carry is judged", reason: ws[0].Text + " was opened", weight: 1})
}

// unwrap skips a wrapper's options and judges the command behind them.
func (ev carrier) unwrap(sc scope, name string, w *builtin.Wrapper, ws []argv.Word) {
	if w.Ask != "" {
		ev.add(match{rule: "builtin.wrapper." + name, verdict: Ask, why: w.Ask, reason: argv.Show(ws) + ": " + w.Ask, hint: "use exec with background"})
	}
	i, replace, bad := options(w, ws)
	if bad != "" {
		ev.refuseForm(ws, bad)
		return
	}
	for w.Assign && i < len(ws) && strings.Contains(ws[i].Text, "=") {
		n, v, _ := strings.Cut(ws[i].Text, "=")
		if ws[i].Kind != argv.Literal {
			ev.refuseForm(ws, "a variable's value is not written out")
			return
		}
		ev.variable(n, v)
		i++
	}
	for n := 0; n < w.Before; n++ {
		if i >= len(ws) || ws[i].Kind != argv.Literal {
			ev.refuseForm(ws, "its own words are not written out")
			return
		}
		if w.Locks {
			ev.path(sc, ws[i].Text, argv.Write)
		}
		i++
	}
	inner := slices.Clone(ws[min(i, len(ws)):])
	switch {
	case w.Locks && len(inner) == 2 && (inner[0].Text == "-c" || inner[0].Text == "--command"):
		inner = append([]argv.Word{{Text: "sh"}, {Text: "-c"}}, inner[1])
	case w.Adds:
		sc.many, sc.carried = true, true
		if len(inner) == 0 {
			inner = []argv.Word{{Text: "echo"}}
		}
		inner = carried(inner, replace)
		if replace != "" && counts(ws[1:i]) {
			inner = append(inner, argv.Word{Kind: argv.Several}) // the last of -I and -n counts, in some versions
		}
	case len(inner) == 0:
		ev.refuseForm(ws, "it carries no command")
		return
	}
	ev.command(sc, inner)
}

// options skips the options of a wrapper: i is the first word behind them, replace is
// the value of -I, bad is what keeps it from being opened.
func options(w *builtin.Wrapper, ws []argv.Word) (i int, replace, bad string) {
	for i = 1; i < len(ws); i++ {
		t := ws[i].Text
		switch {
		case ws[i].Kind != argv.Literal && ws[i].Dashed():
			return i, "", "a word that isn't known beforehand could be an option"
		case ws[i].Kind != argv.Literal:
			return i, replace, ""
		case t == "--":
			return i + 1, replace, ""
		case slices.Contains(w.Plain, t):
		case t == "-" || !strings.HasPrefix(t, "-"):
			return i, replace, ""
		case slices.Contains(w.Value, t):
			if i++; i >= len(ws) || ws[i].Kind != argv.Literal {
				return i, "", t + " lacks its value"
			}
			if t == "-I" {
				replace = ws[i].Text
			}
		case w.Number && strings.Trim(t[1:], "0123456789-") == "":
		case joins(w, t):
			if v, ok := strings.CutPrefix(t, "-I"); ok {
				replace = v
			}
		default:
			return i, "", fmt.Sprintf("its option %s is not known", wording.Quote(t))
		}
	}
	return i, replace, ""
}

// joins tells whether a word is an option with its value in one: -n5, --lines=5.
func joins(w *builtin.Wrapper, t string) bool {
	if strings.HasPrefix(t, "--") {
		option, _, ok := strings.Cut(t, "=")
		return ok && slices.Contains(w.Value, option)
	}
	return len(t) > 2 && slices.Contains(w.Value, t[:2])
}

// counts tells whether options of xargs say how many words or lines to add, which can
// switch -I off.
func counts(options []argv.Word) bool {
	return slices.ContainsFunc(options, func(w argv.Word) bool {
		return strings.HasPrefix(w.Text, "-n") || strings.HasPrefix(w.Text, "-L") || strings.HasPrefix(w.Text, "--max-args") || strings.HasPrefix(w.Text, "--max-lines")
	})
}

// carried is a command that gets more words from elsewhere: in place of a mark,
// or at its end.
func carried(ws []argv.Word, mark string) []argv.Word {
	if mark == "" {
		return append(ws, argv.Word{Kind: argv.Several})
	}
	for i, w := range ws {
		if w.Kind == argv.Literal && strings.Contains(w.Text, mark) {
			before, _, _ := strings.Cut(w.Text, mark)
			ws[i] = argv.Word{Text: before, Kind: argv.Unknown}
		}
	}
	return ws
}

// applet opens busybox: the name behind it is the program.
func (ev carrier) applet(sc scope, ws []argv.Word) {
	if len(ws) < 2 || ws[1].Kind != argv.Literal || strings.HasPrefix(ws[1].Text, "-") || strings.Contains(ws[1].Text, "/") {
		ev.refuseForm(ws, "it names no applet")
		return
	}
	sc.applet = true
	ev.command(sc, ws[1:])
}

// shellCommand opens "sh -c TEXT"; a script file needs a person, and commands
// from the input are refused.
func (ev carrier) shellCommand(sc scope, name string, ws []argv.Word) {
	i, text := 1, false
	for ; i < len(ws) && ws[i].Kind == argv.Literal && len(ws[i].Text) > 1 && ws[i].Text[0] == '-'; i++ {
		if ws[i].Text == "--" {
			i++
			break
		}
		if strings.Trim(ws[i].Text[1:], "ceuxli") == "" && strings.Trim(ws[i].Text[1:], "ceux") != "" {
			ev.deny("builtin.wrapper", fmt.Sprintf("%s can't be opened: with %s a shell reads files of its own first", argv.Show(ws), wording.Quote(ws[i].Text)), "put the text into script")
			return
		}
		if strings.Trim(ws[i].Text[1:], "ceux") != "" {
			ev.refuseForm(ws, fmt.Sprintf("its option %s is not known", wording.Quote(ws[i].Text)))
			return
		}
		text = text || strings.Contains(ws[i].Text, "c")
	}
	switch {
	case slices.Contains([]string{"fish", "csh", "tcsh", "zsh"}, name):
		ev.refuseForm(ws, name+" has a grammar of its own")
	case i >= len(ws):
		ev.deny("builtin.inline", argv.Show(ws)+" would take commands from its input, which is not judged", "put the commands into script")
	case ws[i].Kind != argv.Literal:
		ev.deny("builtin.computed", argv.Show(ws)+": the commands are not written out", "put the commands into script")
	case text:
		ev.script(sc, ws[i].Text)
	default:
		ev.candidates(sc, ws[i+1:])
		if ev.path(sc, ws[i].Text, argv.Read) {
			ev.grants.Free = true
			ev.add(match{rule: "builtin.script-file", verdict: Ask, free: true, why: "a script file is not judged line by line", reason: argv.Show(ws) + " runs a script file, whose lines are not judged", hint: "put the commands into script"})
		}
	}
}

// findCommand takes the commands out of find -exec and judges them; what is left
// is judged by find's own rule.
func (ev carrier) findCommand(sc, inner scope, prog Program, ws []argv.Word) bool {
	var rest []argv.Word
	opened := false
	for i := 0; i < len(ws); i++ {
		if ws[i].Kind != argv.Literal || !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, ws[i].Text) {
			rest = append(rest, ws[i])
			continue
		}
		end := i + 1
		for end < len(ws) && ws[end].Text != ";" && !(ws[end].Text == "+" && ws[end-1].Text == "{}") {
			end++
		}
		if end >= len(ws) || end == i+1 {
			ev.refuseForm(ws, "the command of -exec has no end")
			return true
		}
		if strings.HasSuffix(ws[i].Text, "dir") {
			ev.refuseForm(ws, "the command of "+ws[i].Text+" runs in folders that are not known beforehand; use -exec")
			return true
		}
		carriedWords := slices.Clone(ws[i+1 : end])
		for j, w := range carriedWords {
			if before, _, ok := strings.Cut(w.Text, "{}"); ok && w.Kind == argv.Literal {
				carriedWords[j] = argv.Word{Text: before, Kind: argv.Unknown}
			}
		}
		opened = true
		inner.many, inner.carried = true, true
		ev.command(inner, carriedWords)
		i = end
	}
	if opened {
		ev.writable(prog, ws)
		ev.rules(sc, prog, rest)
	}
	return opened
}
