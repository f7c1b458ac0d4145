package policy

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/wording"
)

// Words that the shell runs by itself, without a program.
var (
	shellHarmless = []string{":", "exit", "return", "break", "continue", "wait", "times", "jobs"}
	shellRefused  = []string{
		".", "source", "eval", "exec", "alias", "unalias", "trap", "builtin", "enable", "hash", "shopt", "declare", "typeset", "local", "let", "mapfile", "readarray",
		"getopts", "ulimit", "umask", "bind", "complete", "compgen", "compopt", "fc", "history", "coproc", "function", "select", "[[", "((", "fg", "bg", "disown", "suspend",
		"logout", "readonly", "pushd", "popd", "dirs", "caller", "shift", "until", "chdir", "print", "whence", "autoload", "zmodload", "emulate", "noglob", "nocorrect",
	}
	shellOptions = []string{"-e", "-u", "-x", "-eu", "-ex", "-ux", "-eux", "+e", "+x", "+u"}
)

// shellWord judges a word that the shell itself understands, and tells whether it
// was one. test and printf are programs as well and go on to their rules.
func (h *hearing) shellWord(ctx scene, ws []argv.Word) bool {
	name := ws[0].Text
	switch {
	case slices.Contains(shellRefused, name):
		h.deny("builtin.shell", fmt.Sprintf("%s changes what later words mean, or runs text as commands", wording.Quote(name)), "write the commands themselves, plainly")
	case slices.Contains(shellHarmless, name):
		h.shellAllow(name)
	case name == "set":
		for _, w := range ws[1:] {
			if w.Kind != argv.Literal || !slices.Contains(shellOptions, w.Text) {
				h.deny("builtin.shell", fmt.Sprintf("%s: set only takes %s here", argv.Show(ws), strings.Join(shellOptions, " ")), "")
				return true
			}
		}
		h.shellAllow(name)
	case name == "type":
		h.shellAllow(name)
	case name == "command":
		h.commandWord(ctx, ws)
	case name == "cd" || name == "read" || name == "export" || name == "unset":
		h.deny("builtin.shell", name+" can't be carried by another word", "write it by itself")
	case name == "test" || name == "[":
		return h.testWord(ws)
	case name == "printf" && len(ws) > 1 && (ws[1].Kind != argv.Literal || strings.HasPrefix(ws[1].Text, "-")):
		h.deny("builtin.shell", "printf with a format that is not written out, or with a flag, can set variables", "write the format out")
		return true
	default:
		return false
	}
	return true
}

// shellAllow records a harmless word of the shell.
func (h *hearing) shellAllow(name string) {
	h.add(finding{rule: "builtin.shell-word", verdict: Allow, why: "a word of the shell that touches nothing", reason: name + " touches nothing", weight: 2})
}

// commandWord judges "command NAME …", which runs a program, and "command -v
// NAME", which only tells.
func (h *hearing) commandWord(ctx scene, ws []argv.Word) {
	rest := ws[1:]
	if len(rest) > 0 && rest[0].Kind == argv.Literal && (rest[0].Text == "-v" || rest[0].Text == "-V") {
		h.shellAllow("command -v")
		return
	}
	if len(rest) > 0 && rest[0].Kind == argv.Literal && rest[0].Text == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0].Dashed() {
		h.refuseForm(ws, "its form is not known")
		return
	}
	ctx.depth++
	h.command(ctx, rest)
}

// testWord denies what lets test run a command in some shells: -v and -R with a
// subscript.
func (h *hearing) testWord(ws []argv.Word) bool {
	open := 0
	for _, w := range ws[1:] {
		switch {
		case w.Kind == argv.Unknown || w.Kind == argv.Several:
			open++
		case w.Kind == argv.Literal && (w.Text == "-v" || w.Text == "-R" || strings.ContainsAny(w.Text, "$`")):
			open = 2
		}
	}
	if open > 1 {
		h.deny("builtin.shell", fmt.Sprintf("%s can run commands in some shells", argv.Show(ws)), "test one unknown value at a time, without -v")
		return true
	}
	return false
}
