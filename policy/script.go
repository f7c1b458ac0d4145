package policy

import (
	"fmt"
	"slices"

	"hardshell/policy/argv"
	"hardshell/policy/shell"
	"hardshell/policy/wording"
)

// script judges shell text: everything that package shell finds in it.
func (ev *evaluation) script(sc scope, text string) {
	if sc.depth > maxDepth {
		ev.deny("builtin.size", fmt.Sprintf("shells inside of shells: at most %d deep are judged", maxDepth), "run the inner command itself")
		return
	}
	script, refused := shell.Parse(text)
	if refused != nil {
		ev.deny(refused.Rule, refused.Reason, refused.Hint)
		return
	}
	if ev.parts += script.Parts; ev.parts > maxParts {
		ev.deny("builtin.size", fmt.Sprintf("the script has %d parts; at most %d are judged", ev.parts, maxParts), "run it in smaller steps")
		return
	}
	sc.shell, sc.script, sc.carried = true, true, false
	script.Walk(&scripted{ev, sc}, shell.Place{Cwds: sc.cwds, Endless: sc.endless, Times: sc.times})
}

// ownWord judges a word that the shell runs by itself, and tells whether it was one.
func (ev *evaluation) ownWord(sc scope, ws []argv.Word) bool {
	b, ok := shell.Own(ws)
	switch {
	case !ok:
		return false
	case b.Refused != nil:
		ev.deny(b.Refused.Rule, b.Refused.Reason, b.Refused.Hint)
	case b.Carries != nil:
		sc.depth++
		ev.command(sc, b.Carries)
	default:
		ev.harmless("a word of the shell that touches nothing", b.Harmless+" touches nothing")
	}
	return true
}

// scripted judges what one script does.
type scripted struct {
	ev *evaluation
	sc scope // of the script as a whole
}

var _ shell.Judge = (*scripted)(nil)

// At is the scope of a place in the script.
func (s *scripted) at(p shell.Place) scope {
	sc := s.sc
	sc.cwds, sc.endless, sc.times = p.Cwds, p.Endless, p.Times
	return sc
}

// Command judges a simple command.
func (s *scripted) Command(p shell.Place, ws []argv.Word) { s.ev.command(s.at(p), ws) }

// Path judges the file of a redirection.
func (s *scripted) Path(p shell.Place, text string, a argv.Access) { s.ev.path(s.at(p), text, a) }

// Variable judges a variable that reaches programs.
func (s *scripted) Variable(name, value string) { s.ev.variable(name, value) }

// Deny records what the reading of the script refuses.
func (s *scripted) Deny(r shell.Refusal) { s.ev.deny(r.Rule, r.Reason, r.Hint) }

// Harmless records what the shell does by itself.
func (s *scripted) Harmless(why, reason string) { s.ev.harmless(why, reason) }

// Spent counts a step of the work.
func (s *scripted) Spent() bool { return s.ev.spent() }

// Folder judges a cd into a folder, which has to be there.
func (s *scripted) Folder(key string) bool {
	if !s.ev.path(scope{cwds: []string{""}}, key, argv.List) {
		return false
	}
	p, ok := s.ev.facts.Paths[key]
	if (ok || s.ev.missing == nil) && (p.Kind != "dir" || p.Link) {
		s.ev.deny("builtin.shell", fmt.Sprintf("cd to %s, which is no folder yet or a link", wording.Quote(key)), "make the folder in a call of its own, or use paths")
		return false
	}
	return true
}

// Files expands a name pattern by the facts.
func (s *scripted) Files(p shell.NamePattern) (files []string, ok bool) {
	if s.ev.makes && p.Bare {
		s.ev.deny("builtin.shell", fmt.Sprintf("the pattern %s behind a command that can make files, whose names could be read as flags", wording.Quote(p.Written)), "write ./"+p.Written)
		return nil, false
	}
	if files, ok = s.ev.facts.Globs[p.Pattern]; ok {
		return files, true
	}
	if s.ev.missing == nil {
		s.ev.deny("builtin.lookup", fmt.Sprintf("the pattern %s could not be expanded", wording.Quote(p.Pattern)), "write the names out")
		return nil, false
	}
	s.ev.missing.Globs = append(s.ev.missing.Globs, p.Pattern)
	return nil, true
}

// Rehearse runs a walk and takes back what it found. What it learns of the commands
// before a place (makes, moves, strays), the work and what has to be looked up stay.
func (s *scripted) Rehearse(walk func()) {
	ev := s.ev
	found, waits, judged, grants, counts, said := ev.found, ev.waits, ev.judged, ev.grants, ev.counts, ev.notes.count()
	walk()
	ev.notes.forget(said)
	ev.found, ev.waits, ev.judged, ev.grants, ev.counts = slices.Clip(found), waits, judged, grants, counts
}
