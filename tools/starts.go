package tools

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hardshell/policy"
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
}

// newStarts prepares the judgement of one action's starts.
func newStarts(k *call, grants policy.Grants) *starts {
	s := &starts{k: k, named: map[string]policy.Program{}, granted: map[string]bool{}}
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

// judge says why a program may not start; nil lets it.
func (s *starts) judge(one Start) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("policy broke on it (%v); report this as a fault of hardshell", fault)
		}
	}()
	p, named := s.named[one.Program]
	switch {
	case named && p.Writable:
		if now, ok := program(one.Program, s.k.r.cfg.CommandUID); !ok || now.Hash != p.Hash {
			return errors.New("it was changed after it was judged")
		}
		return nil
	case named, s.granted[one.Program], s.matches(one.Program):
		return nil
	}
	return s.alone(one)
}

// matches reports a system program whose own name is in the grant. One that commands
// can write may have any name.
func (s *starts) matches(file string) bool {
	fits := slices.ContainsFunc(s.patterns, func(pattern string) bool {
		ok, err := filepath.Match(pattern, filepath.Base(file))
		return ok && err == nil
	})
	return fits && under(trusted, file) && !writable(file, s.k.r.cfg.CommandUID)
}

// alone asks policy about the start as if it were an action of its own, with nobody
// there to answer a question.
func (s *starts) alone(one Start) error {
	if one.Cut || len(one.Argv) == 0 {
		return errors.New("its words can't be judged, there are too many or none; the policy's starts can allow it")
	}
	argv := append([]string{s.word(one)}, one.Argv[1:]...)
	from := s.k.from
	from.Attended = false
	plan := Plan{Action: policy.Action{Kind: policy.KindExec, Tool: s.k.call.Name, Exec: &policy.Exec{Argv: argv, Cwd: one.Dir}}}
	facts := s.k.r.facts(s.k.pol, from, plan)
	for {
		d := s.k.pol.Decide(plan.Action, facts)
		if d.Verdict != policy.Allow {
			return fmt.Errorf("rule %s; a rule's starts can allow it", d.Rule)
		}
		if len(d.Counts) == 0 {
			return nil
		}
		// A rate holds for starts, too. Where others used it since, policy decides anew.
		if ok, err := s.k.r.cfg.Uses.take(d.Counts, facts.Used, facts.Now); ok || err != nil {
			return err
		}
		facts.Now, facts.Used = s.k.r.cfg.Now(), s.k.r.cfg.Uses.all()
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
	return lookProgram(s.k.r.cfg.ProgramDirs, s.k.r.cfg.Dir, word, s.k.r.cfg.CommandUID)
}

// startsNote tells the model which programs were kept from starting.
func startsNote(refused []string) string {
	const most = 5
	if len(refused) == 0 {
		return ""
	}
	note := "did not start: " + strings.Join(refused[:min(most, len(refused))], "; ")
	if n := len(refused) - most; n > 0 {
		note += fmt.Sprintf("; and %d more, see agent audit show", n)
	}
	return note
}
