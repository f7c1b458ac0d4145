package policy

import (
	"path"
	"slices"
	"strings"

	"hardshell/policy/argv"
)

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
