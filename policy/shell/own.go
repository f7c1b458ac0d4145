package shell

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/wording"
)

// Words that the shell runs by itself, without a program.
var (
	harmlessWords = []string{":", "exit", "return", "break", "continue", "wait", "times", "jobs"}
	refusedWords  = []string{
		".", "source", "eval", "exec", "alias", "unalias", "trap", "builtin", "enable", "hash", "shopt", "declare", "typeset", "local", "let", "mapfile", "readarray",
		"getopts", "ulimit", "umask", "bind", "complete", "compgen", "compopt", "fc", "history", "coproc", "function", "select", "[[", "((", "fg", "bg", "disown", "suspend",
		"logout", "readonly", "pushd", "popd", "dirs", "caller", "shift", "until", "chdir", "print", "whence", "autoload", "zmodload", "emulate", "noglob", "nocorrect",
	}
	setOptions = []string{"-e", "-u", "-x", "-eu", "-ex", "-ux", "-eux", "+e", "+x", "+u"}
)

// OneBracket is what to write in place of [[.
const OneBracket = "write [ … ] with one bracket"

// OwnWord is what the shell does with a word that it runs by itself. One of its fields
// is set; none where the word is a program as well, and goes on to the rules.
type OwnWord struct {
	// Refused says why it may not.
	Refused *Refusal
	// Harmless names what touches nothing.
	Harmless string
	// Carries is the command that it runs in its place.
	Carries []argv.Word
}

// Own tells what the shell does with the words of a command by itself; ok is false
// where it starts a program. test and printf are programs as well.
func Own(ws []argv.Word) (b OwnWord, ok bool) {
	name := ws[0].Text
	refuse := func(reason, hint string) (OwnWord, bool) {
		return OwnWord{Refused: &Refusal{"builtin.shell", reason, hint}}, true
	}
	switch {
	case slices.Contains(refusedWords, name):
		return refuse(wording.Quote(name)+" changes what later words mean, or runs text as commands", "write the commands themselves, plainly")
	case slices.Contains(harmlessWords, name), name == "type":
		return OwnWord{Harmless: name}, true
	case name == "set":
		for _, w := range ws[1:] {
			if w.Kind != argv.Literal || !slices.Contains(setOptions, w.Text) {
				return refuse(fmt.Sprintf("%s: set only takes %s here", argv.Show(ws), strings.Join(setOptions, " ")), "write set -eu; /bin/sh has no pipefail")
			}
		}
		return OwnWord{Harmless: name}, true
	case name == "command":
		return commandWord(ws), true
	case name == "cd" || name == "read" || name == "export" || name == "unset":
		return refuse(name+" can't be carried by another word", "write it by itself")
	case (name == "test" || name == "[") && testRuns(ws):
		return refuse(argv.Show(ws)+" can run commands in some shells", "test one unknown value at a time, without -v")
	case name == "printf" && len(ws) > 1 && (ws[1].Kind != argv.Literal || strings.HasPrefix(ws[1].Text, "-")):
		return refuse("printf with a format that is not written out, or with a flag, can set variables", "write the format out")
	}
	return OwnWord{}, false
}

// commandWord reads "command NAME …", which runs a program, and "command -v NAME",
// which only tells.
func commandWord(ws []argv.Word) OwnWord {
	rest := ws[1:]
	if len(rest) > 0 && rest[0].Kind == argv.Literal && (rest[0].Text == "-v" || rest[0].Text == "-V") {
		return OwnWord{Harmless: "command -v"}
	}
	if len(rest) > 0 && rest[0].Kind == argv.Literal && rest[0].Text == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0].Dashed() {
		return OwnWord{Refused: &Refusal{"builtin.wrapper", argv.Show(ws) + " can't be opened: its form is not known", "run the inner command itself"}}
	}
	return OwnWord{Carries: rest}
}

// testRuns finds what lets test run a command in some shells: -v and -R with a
// subscript.
func testRuns(ws []argv.Word) bool {
	open := 0
	for _, w := range ws[1:] {
		switch {
		case w.Unforeseen():
			open++
		case w.Kind == argv.Literal && (w.Text == "-v" || w.Text == "-R" || strings.ContainsAny(w.Text, "$`")):
			open = 2
		}
	}
	return open > 1
}
