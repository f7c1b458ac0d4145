package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/builtin"
)

// Grants is what a command may reach besides its folders, by the rule that
// allowed it. The sandbox hands out nothing else.
type Grants struct {
	// Devices are path patterns of device nodes, Sys of read-only files in /sys.
	Devices []string `json:"devices,omitempty"`
	Sys     []string `json:"sys,omitempty"`
	// Starts are the programs that the command may start by itself, as a compiler
	// starts its assembler.
	Starts []string `json:"starts,omitempty"`
	// Notes are what the person and the model should know of the command's output.
	Notes []string `json:"notes,omitempty"`
	// Read are files outside of the workspace, links followed, whose contents the
	// rules open to the command. List are those of which it may see names and
	// metadata; there are none where something in the action could read more than
	// its words say.
	Read []string `json:"read,omitempty"`
	List []string `json:"list,omitempty"`
	// Repos is true when a person is asked about a command of git, which may then change
	// repositories; no other command may. Free is true when something in the action can
	// make files that its words don't name.
	Repos bool `json:"repos,omitempty"`
	Free  bool `json:"free,omitempty"`
}

// add joins what another rule grants.
func (g *Grants) add(o Grants) {
	g.Devices, g.Sys = union(g.Devices, o.Devices), union(g.Sys, o.Sys)
	g.Starts, g.Notes = union(g.Starts, o.Starts), union(g.Notes, o.Notes)
}

// empty is true when nothing is granted.
func (g Grants) empty() bool {
	return len(g.Devices)+len(g.Sys)+len(g.Starts)+len(g.Notes)+len(g.Read)+len(g.List) == 0 && !g.Repos && !g.Free
}

// openedPaths adds to the grants what lies outside of the workspace and was opened
// by a path rule: to read, and to list where nothing in the action could make more
// of it. Whoever may list a log may not read it by compiling it, nor by moving a
// link to it into the place of a file that was judged.
func (ev *evaluation) openedPaths() {
	opaque := slices.ContainsFunc(ev.found, func(f match) bool {
		return f.opaque || f.verdict == Ask || f.access.Writes()
	})
	for _, f := range ev.found {
		if f.real == "" || f.verdict == Deny || ev.placed.root(f.real) == "workspace" {
			continue
		}
		switch f.access {
		case argv.Read, argv.Local, argv.Exists:
			ev.grants.Read = union(ev.grants.Read, []string{f.real})
		case argv.List:
			if !opaque {
				ev.grants.List = union(ev.grants.List, []string{f.real})
			}
		}
	}
}

// spill denies an action whose parts would share what the rule of one of them grants.
// The sandbox shows a device to all of a command or to nothing of it: a camera that one
// part may list could be read by a build, by a program that gets its names from find, or
// through a link that was moved to where a file was judged.
func (ev *evaluation) spill() {
	if len(ev.grants.Devices)+len(ev.grants.Sys) == 0 {
		return
	}
	other := slices.ContainsFunc(ev.found, func(f match) bool {
		return f.free && (len(union(f.has.Devices, ev.grants.Devices)) > len(f.has.Devices) || len(union(f.has.Sys, ev.grants.Sys)) > len(f.has.Sys))
	})
	if other || ev.usedAfterMove {
		ev.deny("builtin.grant", fmt.Sprintf("%s would be open to every part of this, and a rule opens it to one of them", strings.Join(union(ev.grants.Devices, ev.grants.Sys), ", ")),
			"run what needs it in a call of its own")
	}
}

// withinRate counts what a command uses of a rule's rate, and denies when that is
// more than is left, or when either is not known.
func (ev *evaluation) withinRate(sc scope, r *execRule) bool {
	if ev.facts.Used == nil {
		ev.deny(r.id, r.id+" has a rate, and how often it was used is not known", "")
		return false
	}
	if sc.endless || sc.many {
		ev.deny(r.id, r.id+" has a rate, and how often this would use it is not known", "run it by itself, not in a while loop and not under xargs or find")
		return false
	}
	before := 0
	for _, t := range ev.facts.Used[r.id] {
		if ev.facts.Now.Sub(t) < r.rate.in {
			before++
		}
	}
	counts := maps.Clone(ev.counts) // a rehearsal keeps its own
	if counts == nil {
		counts = map[string]int{}
	}
	counts[r.id] += int(max(sc.times, 1))
	ev.counts = counts
	switch {
	case before >= r.rate.uses:
		ev.deny(r.id, fmt.Sprintf("%s was used %d times in %s, which is its rate in the policy", r.id, before, r.rate.span), "try again later")
		return false
	case before+counts[r.id] > r.rate.uses:
		ev.deny(r.id, fmt.Sprintf("this would use %s %d times; of its rate in the policy, %d in %s, %d are left", r.id, counts[r.id], r.rate.uses, r.rate.span, r.rate.uses-before), "do it fewer times")
		return false
	}
	return true
}

// copiesNames tells whether a command that copies brings names along that nobody judged, out of a
// folder or of a file that is called like a flag.
func copiesNames(ws []argv.Word) bool {
	return slices.ContainsFunc(ws[1:], func(w argv.Word) bool {
		return w.Kind != argv.Literal || builtin.DashedName(w.Text) && strings.Contains(w.Text, "/") || strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "rRa")
	})
}
