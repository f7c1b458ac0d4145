package policy

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/wording"
)

// profile narrows the policy for an agent, a sub-agent or a job. It has no key
// that could allow anything.
type profile struct {
	name     string
	why      string
	toolDeny []string
	exec     []string // ids of the exec rules that stay; nil: all
	hasExec  bool
	write    bool // paths may be written
	ask      bool // questions may be asked
}

// form describes the profile in one line.
func (pr profile) form() string {
	var parts []string
	if len(pr.toolDeny) > 0 {
		parts = append(parts, "without the tools "+strings.Join(pr.toolDeny, ", "))
	}
	if pr.hasExec {
		parts = append(parts, fmt.Sprintf("%d exec rules", len(pr.exec)))
	}
	if !pr.write {
		parts = append(parts, "nothing is written")
	}
	if !pr.ask {
		parts = append(parts, "nothing is asked")
	}
	if parts == nil {
		return "everything that the file allows"
	}
	return strings.Join(parts, "; ")
}

// profileNames lists the names of the profiles that the file defines.
func (p *Policy) profileNames() []string {
	var out []string
	for _, pr := range p.profiles {
		out = append(out, pr.name)
	}
	return out
}

// Profile is the policy narrowed by one of its profiles. Narrowing a narrowed
// policy keeps both.
func (p *Policy) Profile(name string) (*Policy, error) {
	for _, pr := range p.profiles {
		if pr.name != name {
			continue
		}
		if old := p.narrowed; old != nil {
			pr = old.and(pr)
		}
		q := *p
		q.narrowed = &pr
		return &q, nil
	}
	if len(p.profiles) == 0 {
		return nil, fmt.Errorf("the policy %s has no profile %q, and none at all", p.name, name)
	}
	return nil, fmt.Errorf("the policy %s has no profile %q%s; it has: %s", p.name, name,
		wording.DidYouMean(name, p.profileNames()), strings.Join(p.profileNames(), ", "))
}

// and is the profile that refuses what either refuses.
func (pr profile) and(other profile) profile {
	both := profile{
		name:     pr.name + "+" + other.name,
		why:      pr.why + "; " + other.why,
		toolDeny: slices.Concat(pr.toolDeny, other.toolDeny),
		write:    pr.write && other.write,
		ask:      pr.ask && other.ask,
		hasExec:  pr.hasExec || other.hasExec,
		exec:     other.exec,
	}
	if pr.hasExec {
		both.exec = pr.exec
		if other.hasExec {
			both.exec = slices.DeleteFunc(slices.Clone(pr.exec), func(id string) bool { return !slices.Contains(other.exec, id) })
		}
	}
	return both
}

// keeps tells whether an exec rule stays in force under the profile.
func (pr *profile) keeps(id string) bool {
	return pr == nil || !pr.hasExec || slices.Contains(pr.exec, id)
}

// onlyReads tells whether nothing is written under the profile.
func (pr *profile) onlyReads() bool { return pr != nil && !pr.write }
