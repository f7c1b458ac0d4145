package tools

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hardshell/policy"
	"hardshell/tools/lookup"
)

// Start is a program that a running command wants to start by itself.
type Start struct {
	Program string // the file behind all links
	Argv    []string
	Cut     bool // Argv is not all of it
	Dir     string
}

// starts judges what a command starts by itself. Three things let a program start:
// the action that was judged named it, the rule that allowed the action says that its
// program starts it, or policy allows it by itself, asking nobody.
type starts struct {
	k *call
	// named are the files of the programs of the action, by their facts.
	named map[string]policy.Program
	// granted are the files of the plain names of the grant, patterns the others.
	granted  map[string]bool
	patterns []string
	// known are the decisions that are on record, by program and verdict.
	known map[string]bool
	// left are the uses of rules with a rate that the action has taken and that no
	// start was counted against: the judge is asked by one goroutine at a time.
	left map[string]int
}

// newStarts prepares the judgement of one action's starts.
func newStarts(k *call, grants policy.Grants) *starts {
	s := &starts{k: k, named: map[string]policy.Program{}, granted: map[string]bool{}, known: map[string]bool{}, left: maps.Clone(k.counts)}
	for _, p := range k.facts.Programs {
		s.named[p.Real] = p
	}
	for _, word := range grants.Starts {
		if strings.ContainsAny(word, `*?[\`) {
			s.patterns = append(s.patterns, word)
		} else if p, ok := s.look(word); ok && !p.Writable {
			s.granted[p.Real] = true
		} else {
			s.patterns = append(s.patterns, word) // such as cc1, which lies elsewhere
		}
	}
	return s
}

// judge says why a program may not start; nil lets it. The decision is on record by
// then: one that can't be kept is none.
func (s *starts) judge(one Start) error {
	rule, err := s.decide(one)
	return errors.Join(err, s.keep(one, rule, err))
}

// Judge gives the rule that decides, empty where the action itself names the program,
// and says why it may not start.
func (s *starts) decide(one Start) (rule string, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			rule, err = "internal", fmt.Errorf("policy broke on it (%v); report this as a fault of hardshell", fault)
		}
	}()
	p, named := s.named[one.Program]
	switch {
	case named && p.Writable:
		if now, ok := lookup.ProgramAt(one.Program, s.k.r.cfg.CommandUID); !ok || now.Hash != p.Hash {
			return s.k.decision.Rule, errors.New("it was changed after it was judged")
		}
		return "", nil
	case s.granted[one.Program], s.matches(one.Program):
		return s.k.decision.Rule, nil
	case named && s.paid(one):
		return "", nil
	}
	return s.alone(one)
}

// paid reports that a program of the action uses no rule with a rate, or one use that
// the action has taken: a command that names a program once may start it many times.
func (s *starts) paid(one Start) bool {
	if len(s.k.counts) == 0 {
		return true
	}
	prepared := s.prepare(one)
	from := s.k.from
	from.Attended = true // a question that was answered
	facts, _ := s.k.r.weigh(s.k.pol, from, prepared)
	facts.Used = map[string][]time.Time{} // which rules it uses, not whether any is left
	d := s.k.pol.Decide(prepared.Action, facts)
	switch {
	case d.Verdict == policy.Deny: // in another form than the one that was counted
		return false
	case slices.ContainsFunc(d.Matched, func(m policy.Match) bool { return m.Rule == "builtin.wrapper" }):
		return true // what it carries is started, and counted, next
	}
	uses := d.Counts
	for rule, n := range uses {
		if s.left[rule] < n {
			return false
		}
	}
	for rule, n := range uses {
		s.left[rule] -= n
	}
	return true
}

// Planned is the start as an action of its own.
func (s *starts) prepare(one Start) Prepared {
	argv := slices.Clone(one.Argv)
	if len(argv) > 0 {
		argv[0] = s.word(one)
	}
	return Prepared{Action: policy.Action{Tool: s.k.call.Name, Kind: &policy.Exec{Argv: argv, Cwd: one.Dir}}}
}

// matches reports a system program whose own name is in the grant. One that commands
// can write may have any name.
func (s *starts) matches(file string) bool {
	fits := slices.ContainsFunc(s.patterns, func(pattern string) bool {
		ok, err := filepath.Match(pattern, filepath.Base(file))
		return ok && err == nil
	})
	return fits && lookup.Under(lookup.SystemTrees(), file) && !lookup.Writable(file, s.k.r.cfg.CommandUID)
}

// alone asks policy about the start as if it were an action of its own, with nobody
// there to answer a question.
func (s *starts) alone(one Start) (rule string, err error) {
	if one.Cut || len(one.Argv) == 0 {
		return s.k.decision.Rule, errors.New("its words can't be judged, there are too many or none; the policy's starts can allow it")
	}
	prepared := s.prepare(one)
	from := s.k.from
	from.Attended = false
	facts, d := s.k.r.weigh(s.k.pol, from, prepared)
	for {
		if d.Verdict != policy.Allow {
			return d.Rule, fmt.Errorf("rule %s; a rule's starts can allow it", d.Rule)
		}
		if len(d.Counts) == 0 {
			return d.Rule, nil
		}
		// A rate holds for starts, too. Where others used it since, policy decides anew.
		if ok, err := s.k.r.cfg.Uses.take(d.Counts, facts.Used, facts.Now); ok || err != nil {
			return d.Rule, err
		}
		facts.Now, facts.Used = s.k.r.cfg.Now(), s.k.r.cfg.Uses.all()
		d = s.k.pol.Decide(prepared.Action, facts)
	}
}

// word is how policy knows the program: by a name that leads to it.
func (s *starts) word(one Start) string {
	for _, name := range []string{filepath.Base(one.Argv[0]), filepath.Base(one.Program)} {
		if p, ok := s.look(name); ok && p.Real == one.Program {
			return name
		}
	}
	return one.Program
}

func (s *starts) look(word string) (policy.Program, bool) {
	return lookup.Program(s.k.r.cfg.ProgramDirs, s.k.r.cfg.Dir, word, s.k.r.cfg.CommandUID)
}
