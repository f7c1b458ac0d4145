package policy

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/builtin"
	"hardshell/policy/wording"
)

// fileRules applies the file's path rules to one path.
func (ev *evaluation) fileRules(text string, p Path, a argv.Access) {
	if a == argv.Exists && !p.Exists {
		ev.deny("builtin.lookup", fmt.Sprintf("%s does not exist", wording.Quote(text)), "check the path")
		return
	}
	// A link that leaves its folder is refused even when its target is open by
	// another rule: what lies in the workspace can't stand for something else.
	if root := ev.facts.Roots[ev.placed.root(p.Abs)]; root != "" && root != "/" && !within(root, p.Real) && ev.policy.spoken(ev.facts.Roots, p.Abs, a) {
		ev.outside(text, p, a)
		return
	}
	matched := false
	for _, r := range ev.policy.files {
		if !r.fits(ev.facts.Roots, p, a) {
			if ev.notes != nil && r.verdict != Deny && r.lies(ev.facts.Roots, p.Real, false) {
				ev.notes.near(r.id, r.form(), "it opens the path for "+r.ops.String()+" only")
			}
			continue
		}
		matched = true
		ev.add(match{rule: r.id, verdict: r.verdict, why: r.why, reason: wording.Quote(text) + ": " + r.why, weight: 1})
	}
	if n := ev.policy.narrowed; n != nil && !n.write && a.Writes() {
		ev.add(match{rule: "profile." + n.name, verdict: Deny, why: n.why, reason: fmt.Sprintf("%s: under the profile %s nothing is written", wording.Quote(text), n.name)})
	}
	if !matched {
		ev.outside(text, p, a)
	}
}

// deniedByRule applies the denying path rules to what could be a path.
func (ev *evaluation) deniedByRule(text string, p Path) {
	for _, r := range ev.policy.files {
		if r.verdict == Deny && r.fits(ev.facts.Roots, p, argv.List) {
			ev.add(match{rule: r.id, verdict: Deny, why: r.why, reason: wording.Quote(text) + ": " + r.why, weight: 1})
		}
	}
}

// fits tells whether a rule speaks of an access to a path.
func (r *fileRule) fits(roots map[string]string, p Path, a argv.Access) bool {
	if r.verdict == Deny {
		// What a denial names is denied under every name, and for looking too.
		return r.ops.cover(a) && (r.lies(roots, p.Real, false) || r.lies(roots, p.Abs, false))
	}
	return r.ops.cover(a) && r.lies(roots, p.Real, a == argv.Remove)
}

// lies tells whether a path lies where the rule says; strictly leaves the root
// itself out.
func (r *fileRule) lies(roots map[string]string, abs string, strictly bool) bool {
	if r.root == "" {
		return r.glob.Match(abs)
	}
	root := roots[r.root]
	if root == "" {
		// A root that nobody can name opens nothing; a denial holds anywhere.
		return r.verdict == Deny && argv.CompileGlob("**/"+r.pattern).Match(abs)
	}
	if !within(root, abs) {
		return false
	}
	abs = strings.TrimPrefix(strings.TrimPrefix(abs, root), "/")
	switch whole := r.pattern == "**"; {
	case abs == "":
		return !strictly && (whole || r.pattern == ".")
	case whole:
		return true
	}
	return r.glob.Match(abs)
}

// spoken tells whether a rule opens a path as it is written.
func (p *Policy) spoken(roots map[string]string, abs string, a argv.Access) bool {
	return slices.ContainsFunc(p.files, func(r *fileRule) bool {
		return r.verdict != Deny && r.ops.cover(a) && r.lies(roots, abs, a == argv.Remove)
	})
}

// outside denies a path that no rule opens, and says why as exactly as it can.
func (ev *evaluation) outside(text string, p Path, a argv.Access) {
	verb := map[bool]string{true: "written", false: "read"}[a.Writes()]
	if a == argv.List {
		verb = "listed"
	}
	reason := fmt.Sprintf("%s may not be %s: no rule of the policy opens it", wording.Quote(text), verb)
	switch {
	case p.Abs != p.Real && ev.policy.spoken(ev.facts.Roots, p.Abs, a):
		reason = fmt.Sprintf("%s may not be %s: it leads through a link out of its folder, to %s", wording.Quote(text), verb, wording.Quote(p.Real))
	case a == argv.Remove && (&fileRule{root: "workspace", pattern: "."}).lies(ev.facts.Roots, p.Real, false):
		reason = fmt.Sprintf("%s may not be removed: it is the workspace itself", wording.Quote(text))
	}
	hint := builtin.Closed(p.Abs)
	if ev.policy.builtin {
		hint = noPolicyHint
	}
	ev.add(match{rule: "builtin.outside", verdict: Deny, why: "only what a rule opens can be reached", reason: reason, hint: hint})
}
