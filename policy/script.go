package policy

import (
	"fmt"
	"slices"

	"hardshell/policy/argv"
	"hardshell/policy/shell"
	"hardshell/policy/wording"
)

// script judges shell text: everything that package shell finds in it.
func (h *hearing) script(ctx scene, text string) {
	if ctx.depth > maxDepth {
		h.deny("builtin.size", fmt.Sprintf("shells inside of shells: at most %d deep are judged", maxDepth), "run the inner command itself")
		return
	}
	script, refused := shell.Parse(text)
	if refused != nil {
		h.deny(refused.Rule, refused.Reason, refused.Hint)
		return
	}
	if h.parts += script.Parts; h.parts > maxParts {
		h.deny("builtin.size", fmt.Sprintf("the script has %d parts; at most %d are judged", h.parts, maxParts), "run it in smaller steps")
		return
	}
	ctx.shell, ctx.script, ctx.carried = true, true, false
	script.Walk(&scripted{h, ctx}, shell.Place{Cwds: ctx.cwds, Endless: ctx.endless, Times: ctx.times})
}

// ownWord judges a word that the shell runs by itself, and tells whether it was one.
func (h *hearing) ownWord(ctx scene, ws []argv.Word) bool {
	b, ok := shell.Own(ws)
	switch {
	case !ok:
		return false
	case b.Refused != nil:
		h.deny(b.Refused.Rule, b.Refused.Reason, b.Refused.Hint)
	case b.Carries != nil:
		ctx.depth++
		h.command(ctx, b.Carries)
	default:
		h.harmless("a word of the shell that touches nothing", b.Harmless+" touches nothing")
	}
	return true
}

// harmless records what the shell does by itself and that touches nothing.
func (h *hearing) harmless(why, reason string) {
	h.add(finding{rule: "builtin.shell-word", verdict: Allow, why: why, reason: reason, weight: 2})
}

// scripted judges what one script does.
type scripted struct {
	h   *hearing
	ctx scene // of the script as a whole
}

var _ shell.Judge = (*scripted)(nil)

// At is the scene of a place in the script.
func (s *scripted) at(p shell.Place) scene {
	ctx := s.ctx
	ctx.cwds, ctx.endless, ctx.times = p.Cwds, p.Endless, p.Times
	return ctx
}

// Command judges a simple command.
func (s *scripted) Command(p shell.Place, ws []argv.Word) { s.h.command(s.at(p), ws) }

// Path judges the file of a redirection.
func (s *scripted) Path(p shell.Place, text string, a argv.Access) { s.h.path(s.at(p), text, a) }

// Variable judges a variable that reaches programs.
func (s *scripted) Variable(name, value string) { s.h.variable(name, value) }

// Deny records what the reading of the script refuses.
func (s *scripted) Deny(r shell.Refusal) { s.h.deny(r.Rule, r.Reason, r.Hint) }

// Harmless records what the shell does by itself.
func (s *scripted) Harmless(why, reason string) { s.h.harmless(why, reason) }

// Spent counts a step of the work.
func (s *scripted) Spent() bool { return s.h.spent() }

// Folder judges a cd into a folder, which has to be there.
func (s *scripted) Folder(key string) bool {
	if !s.h.path(scene{cwds: []string{""}}, key, argv.List) {
		return false
	}
	p, ok := s.h.facts.Paths[key]
	if (ok || s.h.missing == nil) && (p.Kind != "dir" || p.Link) {
		s.h.deny("builtin.shell", fmt.Sprintf("cd to %s, which is no folder yet or a link", wording.Quote(key)), "make the folder in a call of its own, or use paths")
		return false
	}
	return true
}

// Files expands a name pattern by the facts.
func (s *scripted) Files(p shell.NamePattern) (files []string, ok bool) {
	if s.h.makes && p.Bare {
		s.h.deny("builtin.shell", fmt.Sprintf("the pattern %s behind a command that can make files, whose names could be read as flags", wording.Quote(p.Written)), "write ./"+p.Written)
		return nil, false
	}
	if files, ok = s.h.facts.Globs[p.Pattern]; ok {
		return files, true
	}
	if s.h.missing == nil {
		s.h.deny("builtin.lookup", fmt.Sprintf("the pattern %s could not be expanded", wording.Quote(p.Pattern)), "write the names out")
		return nil, false
	}
	s.h.missing.Globs = append(s.h.missing.Globs, p.Pattern)
	return nil, true
}

// Rehearse runs a walk and takes back what it found. What it learns of the commands
// before a place (makes, moves, strays), the work and what has to be looked up stay.
func (s *scripted) Rehearse(walk func()) {
	h := s.h
	found, waits, judged, grants, counts, said := h.found, h.waits, h.judged, h.grants, h.counts, h.notes.count()
	walk()
	h.notes.forget(said)
	h.found, h.waits, h.judged, h.grants, h.counts = slices.Clip(found), waits, judged, grants, counts
}
