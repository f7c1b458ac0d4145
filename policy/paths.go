package policy

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/builtin"
	"hardshell/policy/wording"
)

// scope is where a command stands.
type scope struct {
	// cwds are the folders, relative to the action's own, in which it may run; a
	// cd that may fail gives two.
	cwds       []string
	depth      int
	shell      bool    // the shell itself reads its first word
	script     bool    // part of a shell text, however deep
	applet     bool    // named by busybox, not looked up
	background bool    // waits for nobody
	endless    bool    // inside a while or until
	many       bool    // run as often as its carrier likes: xargs, find -exec
	carried    bool    // by xargs or find itself: what it gets are names that they found
	times      float64 // how often loops run it, 0 counts as once
}

// path judges one path in every folder that the command may run in, and tells
// whether nothing spoke against it.
func (ev *evaluation) path(sc scope, text string, a argv.Access) bool {
	if builtin.Harmless(text) && a != argv.Remove {
		ev.add(match{rule: "builtin.stdio", verdict: Allow, why: "harmless device", reason: text + " is harmless", weight: 1})
		return true
	}
	ev.usedAfterMove = ev.usedAfterMove || ev.moves && a != argv.List && a != argv.Remove
	before := len(ev.found)
	for _, cwd := range sc.cwds {
		key := argv.Under(cwd, text)
		p, ok := ev.at(key)
		switch {
		case ev.missing != nil && !ok:
		case !ok:
			ev.deny("builtin.lookup", fmt.Sprintf("%s could not be looked up", wording.Quote(key)), "check the path")
		default:
			ev.lookedUp(text, key, p, a)
		}
	}
	return !slices.ContainsFunc(ev.found[before:], func(f match) bool { return f.verdict == Deny })
}

// judgement is a path and what is done with it.
type judgement struct {
	key    string
	access argv.Access
}

// lookedUp judges a path whose place is known; each one once, however many rules
// and parts name it.
func (ev *evaluation) lookedUp(text, key string, p Path, a argv.Access) {
	if ev.notes != nil {
		defer ev.leave(ev.enter(Part{Kind: "path", Text: text, Access: string(a), Real: p.Real}))
	}
	j := judgement{key, a}
	said, ok := ev.paths[j]
	if !ok {
		before := len(ev.found)
		if !ev.protected(text, p, a) {
			ev.fileRules(text, p, a)
		}
		for i := range ev.found[before:] {
			ev.found[before+i].real, ev.found[before+i].access = p.Real, a
		}
		said = slices.Clone(ev.found[before:])
		if ev.paths == nil {
			ev.paths = map[judgement][]match{}
		}
		ev.paths[j] = said
		return
	}
	for _, f := range said {
		ev.add(f)
	}
}

// protected applies the built-in rules on paths, and tells whether one denied.
func (ev *evaluation) protected(text string, p Path, a argv.Access) bool {
	if ev.shielded(text, p.Real, a) || p.Abs != p.Real && ev.shielded(text, p.Abs, a) {
		return true
	}
	switch device := p.Kind == "device" || strings.HasPrefix(p.Real, "/dev/"); {
	case a == argv.Device:
		return false
	case device && a != argv.List && !builtin.Harmless(p.Real) && ev.apply(builtin.ByID("builtin.device"), wording.Quote(text)):
		return true
	case a.Writes() && builtin.DashedName(text):
		ev.deny("builtin.dash", fmt.Sprintf("%s has a part that begins with a dash, which programs take for a flag", wording.Quote(text)), "choose another name")
		return true
	}
	return false
}

// shielded applies the built-in rules on one name of a path: the agent's own, secrets,
// kernel settings and repositories.
func (ev *evaluation) shielded(text, abs string, a argv.Access) bool {
	deny := func(id string) bool { return ev.apply(builtin.ByID(id), wording.Quote(text)) }
	name := ev.placed.root(abs)
	switch {
	case builtin.Own[name], builtin.Lent[name] && a.Writes(), a == argv.Remove && ev.placed.aboveOwn(abs):
		return deny("builtin.self")
	case builtin.IsSecret(abs) && deny("builtin.secret"):
		return true
	case !a.Writes():
		return false
	case (within("/sys", abs) || within("/proc", abs)) && deny("builtin.sys"):
		return true
	}
	return builtin.IsGit(abs) && deny("builtin.git")
}

// places knows the named roots and remembers the path that it placed last.
type places struct {
	roots     map[string]string
	abs, name string
}

// root is the name of the innermost named root that a path lies in: a workspace inside
// of the config folder is a workspace.
func (in *places) root(abs string) string {
	if in.abs == abs && abs != "" {
		return in.name
	}
	best, name := -1, ""
	for n, root := range in.roots {
		if root != "" && within(root, abs) && (len(root) > best || len(root) == best && builtin.Own[n]) {
			best, name = len(root), n
		}
	}
	in.abs, in.name = abs, name
	return name
}

// aboveOwn tells whether one of the agent's own folders lies in the path.
func (in *places) aboveOwn(abs string) bool {
	for n, root := range in.roots {
		if builtin.Own[n] && root != "" && abs != root && within(abs, root) {
			return true
		}
	}
	return false
}

// within tells whether a clean path is a folder or lies beneath it.
func within(root, abs string) bool {
	return abs == root || root == "/" || strings.HasPrefix(abs, root) && len(abs) > len(root) && abs[len(root)] == '/'
}

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
