package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hardshell/policy/argv"
)

// openedPaths adds to the grants what lies outside of the workspace and was opened
// by a path rule: to read, and to list where nothing in the action could make more
// of it. Whoever may list a log may not read it by compiling it, nor by moving a
// link to it into the place of a file that was judged.
func (h *hearing) openedPaths() {
	opaque := slices.ContainsFunc(h.found, func(f finding) bool {
		return f.opaque || f.verdict == Ask || f.access.Writes()
	})
	for _, f := range h.found {
		if f.real == "" || f.verdict == Deny || h.ownRoot(f.real) == "workspace" {
			continue
		}
		switch f.access {
		case argv.Read, argv.Local, argv.Exists:
			h.grants.Read = union(h.grants.Read, []string{f.real})
		case argv.List:
			if !opaque {
				h.grants.List = union(h.grants.List, []string{f.real})
			}
		}
	}
}

// spill denies an action whose parts would share what the rule of one of them grants.
// The sandbox shows a device to all of a command or to nothing of it: a camera that one
// part may list could be read by a build, by a program that gets its names from find, or
// through a link that was moved to where a file was judged.
func (h *hearing) spill() {
	if len(h.grants.Devices)+len(h.grants.Sys) == 0 {
		return
	}
	other := slices.ContainsFunc(h.found, func(f finding) bool {
		return f.free && (len(union(f.has.Devices, h.grants.Devices)) > len(f.has.Devices) || len(union(f.has.Sys, h.grants.Sys)) > len(f.has.Sys))
	})
	if other || h.strays {
		h.deny("builtin.grant", fmt.Sprintf("%s would be open to every part of this, and a rule opens it to one of them", strings.Join(union(h.grants.Devices, h.grants.Sys), ", ")),
			"run what needs it in a call of its own")
	}
}

// Unreadable reports a path that is the agent's own, or that the built-in rule on
// secrets or a denying path rule of the file keeps from being read. Commands that go
// through folders by themselves must not see it either, and no link leads to it.
func (p *Policy) Unreadable(f Facts, abs string) bool {
	if isSecret(abs) && p.waived("builtin.secret") == "" {
		return true
	}
	h := hearing{policy: p, facts: f}
	if own[h.ownRoot(abs)] && p.waived("builtin.self") == "" {
		return true
	}
	return slices.ContainsFunc(p.files, func(r *fileRule) bool {
		return r.verdict == Deny && h.fits(r, Path{Abs: abs, Real: abs}, argv.Read)
	})
}

// copiesNames tells whether a command brings names along that nobody judged, out of a
// folder or of a file that is called like a flag.
func copiesNames(ws []argv.Word) bool {
	return path.Base(ws[0].Text) == "cp" && slices.ContainsFunc(ws[1:], func(w argv.Word) bool {
		return w.Kind != argv.Literal || dashedName(w.Text) && strings.Contains(w.Text, "/") || strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "rRa")
	})
}
