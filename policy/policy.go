package policy

import (
	"slices"

	"hardshell/policy/argv"
	"hardshell/policy/builtin"
)

// Policy is a parsed policy file together with the built-in rules. It never
// changes after Parse and may be used from several goroutines.
type Policy struct {
	name        string
	hash        string
	builtin     bool // no file was given
	unlisted    Verdict
	env         []string
	toolAllow   []string
	toolDeny    []string
	exec        map[string][]*execRule // by program
	execOrder   []*execRule
	files       []*fileRule
	waivers     []waiver
	profiles    []profile
	preapproved []preapproval
	narrowed    *profile // the profile in force
}

// Builtin is the policy that holds while there is no policy file: the workspace
// may be read, and nothing else.
func Builtin() *Policy {
	why := "without a policy file the workspace can be read and nothing else"
	return &Policy{
		name: "builtin", builtin: true, hash: digest([]byte("builtin")),
		toolAllow: []string{"read", "session_status"},
		files: []*fileRule{{
			id: "builtin.workspace", verdict: Allow, why: why, root: "workspace", pattern: "**", glob: argv.CompileGlob("**"), ops: opsOf(Read, List),
		}},
	}
}

// Name is the name that the file gives itself, "builtin" without a file.
func (p *Policy) Name() string { return p.name }

// Hash identifies the policy file: the sha-256 of its bytes in hex.
func (p *Policy) Hash() string { return p.hash }

// Decide judges an action under the facts. It denies whatever no rule speaks of.
func (p *Policy) Decide(a Action, f Facts) Decision {
	ev := p.evaluation(a, f)
	ev.judge()
	return ev.decision()
}

// Try decides as far as the facts reach, and names what is missing: the decision counts
// only when that is nothing. Shell text can need a second look: the files that a pattern
// expands to give new paths.
func (p *Policy) Try(a Action, f Facts) (Decision, Subjects) {
	ev := p.evaluation(a, f)
	ev.missing = &Subjects{}
	ev.judge()
	s := *ev.missing
	for _, list := range []*[]string{&s.Programs, &s.Paths, &s.Globs} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if !s.Empty() {
		return Decision{}, s
	}
	return ev.decision(), s
}

// waived is the operator's reason for switching a built-in rule off, empty when
// it is in force.
func (p *Policy) waived(id string) string {
	for _, w := range p.waivers {
		if w.rule == id {
			return w.why
		}
	}
	return ""
}

// Waivers lists the built-in rules that the file switches off, each with the
// operator's reason.
func (p *Policy) Waivers() []Rule {
	var out []Rule
	for _, r := range p.Rules() {
		if r.Waived != "" {
			out = append(out, r)
		}
	}
	return out
}

// Rules lists every rule: the built-in ones first, then those of the file in
// its order.
func (p *Policy) Rules() []Rule {
	var out []Rule
	for _, b := range builtin.Rules {
		out = append(out, Rule{ID: b.ID, Kind: "builtin", Verdict: Deny, Form: b.Form(), Why: b.Why, Waived: p.waived(b.ID)})
	}
	for _, r := range p.files {
		out = append(out, Rule{ID: r.id, Kind: "file", Verdict: r.verdict, Form: r.form(), Why: r.why})
	}
	for _, r := range p.execOrder {
		out = append(out, Rule{ID: r.id, Kind: "exec", Verdict: r.verdict, Form: r.form, Why: r.why})
	}
	for _, a := range p.preapproved {
		out = append(out, Rule{ID: a.id, Kind: "unattended", Verdict: Allow, Form: a.form(), Why: a.why})
	}
	for _, pr := range p.profiles {
		out = append(out, Rule{ID: "profile." + pr.name, Kind: "profile", Verdict: Deny, Form: pr.form(), Why: pr.why})
	}
	return out
}

// Unreadable reports a path that is the agent's own, or that the built-in rule on
// secrets or a denying path rule of the file keeps from being read. Commands that go
// through folders by themselves must not see it either, and no link leads to it.
func (p *Policy) Unreadable(f Facts, abs string) bool {
	if builtin.IsSecret(abs) && p.waived("builtin.secret") == "" {
		return true
	}
	if placed := (places{roots: f.Roots}); builtin.Own[placed.root(abs)] && p.waived("builtin.self") == "" {
		return true
	}
	return slices.ContainsFunc(p.files, func(r *fileRule) bool {
		return r.verdict == Deny && r.fits(f.Roots, Path{Abs: abs, Real: abs}, argv.Read)
	})
}
