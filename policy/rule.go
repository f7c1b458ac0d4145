package policy

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"hardshell/policy/argv"
	"hardshell/policy/source"
)

// execRule allows, asks for or denies commands of one form.
type execRule struct {
	id      string
	verdict Verdict
	why     string
	hint    string // what to do instead
	pattern argv.Pattern
	form    string // the pattern as the file writes it, without its flags
	// hash binds a program in a writable place to its contents.
	hash string
	// confined turns allow into ask while the sandbox is not complete.
	confined bool
	// reads marks programs that only read and print, whatever their words are: in
	// the complete sandbox they may get words that nobody can foresee.
	reads  bool
	rate   rate
	grants Grants

	at       source.Span
	match    []example
	notMatch []example
}

// example is a command that a rule must or must not match.
type example struct {
	argv []string
	at   source.Span
}

// fileRule allows, asks for or denies operations on paths.
type fileRule struct {
	id      string
	verdict Verdict
	why     string
	// root is a named folder (Facts.Roots), or empty for an absolute pattern.
	root string
	// pattern is relative to the root, or absolute; ** stands for any folders.
	pattern string
	glob    argv.Glob // the pattern, compiled
	ops     ops

	at       source.Span
	match    []example // one word each
	notMatch []example
}

// form is what the rule covers, in one line.
func (r *fileRule) form() string {
	form := r.pattern
	if r.root != "" {
		form = "{" + r.root + "}/" + r.pattern
	}
	return form + ": " + r.ops.String()
}

// waiver switches one built-in rule off.
type waiver struct {
	rule, why string
}

// Rule is what a person may see of a rule.
type Rule struct {
	ID      string  `json:"id"`
	Kind    string  `json:"kind"` // builtin, exec, file, unattended, profile
	Verdict Verdict `json:"verdict"`
	Form    string  `json:"form"`
	Why     string  `json:"why"`
	// Waived is the operator's reason for switching a built-in rule off.
	Waived string `json:"waived,omitempty"`
}

// ops is a set of file operations; the zero ops is none.
type ops struct{ read, write, list bool }

// opsOf is the set of these.
func opsOf(list ...FileOp) ops {
	var o ops
	for _, op := range list {
		switch op {
		case Read:
			o.read = true
		case Write:
			o.write = true
		case List:
			o.list = true
		}
	}
	return o
}

// cover tells whether a rule for these operations speaks of an access. Who may
// read may list, and what may not be read may not be listed.
func (o ops) cover(a argv.Access) bool {
	switch a {
	case argv.Write, argv.Remove:
		return o.write
	case argv.List:
		return o.list || o.read
	default:
		return o.read
	}
}

// slice is the set as a list.
func (o ops) slice() []FileOp {
	var out []FileOp
	for _, one := range []struct {
		on bool
		op FileOp
	}{{o.read, Read}, {o.write, Write}, {o.list, List}} {
		if one.on {
			out = append(out, one.op)
		}
	}
	return out
}

// String is the set as people read it: "read write".
func (o ops) String() string {
	words := make([]string, 0, 3)
	for _, op := range o.slice() {
		words = append(words, string(op))
	}
	return strings.Join(words, " ")
}

// The bounds of a rate: who keeps the uses keeps so many of them, for so long.
const (
	MaxRateUses = 1000
	MaxRateTime = 31 * 24 * time.Hour
)

// rate is a number of uses in a stretch of time; the zero rate is no limit.
type rate struct {
	uses int
	in   time.Duration
	span string // in, as the policy file writes it
}

// parseRate reads "20/1h".
func parseRate(s string) (rate, bool) {
	n, d, ok := strings.Cut(s, "/")
	uses, err := strconv.Atoi(n)
	in, err2 := time.ParseDuration(d)
	if !ok || err != nil || err2 != nil || uses < 1 || uses > MaxRateUses || in <= 0 || in > MaxRateTime {
		return rate{}, false
	}
	return rate{uses, in, d}, true
}

// misfitHint says how a program may be called that has rules. closest is the rule that
// fits best.
func misfitHint(rules []*execRule, ws []argv.Word, closest *execRule, why string) string {
	name := path.Base(ws[0].Text)
	if strings.HasPrefix(why, "a word that isn't known") {
		return "write the words out in a call of its own: ls or find shows them first"
	}
	var forms, verbs []string
	open := false // its first word may be anything
	for _, r := range rules {
		if r.verdict == Deny || r.elsewhere(ws) && r != closest {
			continue
		}
		_, rest, _ := strings.Cut(r.form, " ")
		forms = append(forms, strings.TrimSpace(name+" "+rest))
		words, any := r.pattern.Verbs()
		if open = open || any; open {
			continue
		}
		verbs = append(verbs, slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })...)
	}
	if len(ws) > 1 && !open && len(verbs) > 1 && !slices.Contains(verbs, ws[1].Text) {
		slices.Sort(verbs)
		return "of " + name + " the policy allows: " + strings.Join(slices.Compact(verbs), ", ")
	}
	hint := "the policy allows: " + strings.Join(forms[:min(4, len(forms))], "; ")
	if flags := closest.flags(); strings.HasPrefix(why, "the flag ") && len(flags) > 0 {
		hint += ", with " + strings.Join(flags, " ")
	}
	return hint
}

// elsewhere tells whether a rule is for one flag alone, such as --help, that a command
// does not begin with: it says nothing of what was meant.
func (r *execRule) elsewhere(ws []argv.Word) bool {
	lone := r.pattern.LoneFlags()
	return lone != nil && (len(ws) < 2 || !slices.Contains(lone, ws[1].Text))
}

// flags names the flags that a rule allows; nil of no rule.
func (r *execRule) flags() []string {
	if r == nil {
		return nil
	}
	out := r.pattern.FlagNames()
	const most = 16
	if len(out) > most {
		out = append(out[:most], "…")
	}
	return out
}
