package policy

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"hardshell/policy/argv"
	"hardshell/policy/source"
)

// exampleRoots are the folders in which the examples of a file are judged.
var exampleRoots = map[string]string{
	"workspace": "/home/lab/work", "docs": "/usr/share/hardshell/docs", "skills": "/home/lab/skills", "tmp": "/home/lab/tmp", "home": "/home/lab",
	"state": "/var/lib/hardshell", "config": "/etc/hardshell",
}

// trial is one example of a rule; fault says what is wrong, "" when nothing is.
type trial struct {
	at    source.Span
	fault func() string
}

// exampleWorkers try the examples of a file side by side: they are half of what
// reading it costs, and a start waits for it.
const exampleWorkers = 4

// examples runs the examples of every rule: a rule must be among those that
// match its "match" and not among those that match its "not_match".
func (r *reader) examples(p *Policy) {
	trials := p.trials()
	faults := make([]string, len(trials))
	var workers sync.WaitGroup
	for w := range exampleWorkers {
		workers.Go(func() {
			for i := w; i < len(trials); i += exampleWorkers {
				faults[i] = trials[i].fault()
			}
		})
	}
	workers.Wait()
	for i, fault := range faults {
		if fault != "" {
			r.Fail(trials[i].at, fault)
		}
	}
}

// trials lists the examples of all rules, in the order of the file.
func (p *Policy) trials() []trial {
	var out []trial
	for _, e := range p.execOrder {
		for _, ex := range e.match {
			out = append(out, trial{ex.at, func() string {
				if ev := p.example(ex.argv, e); !ev.names(e.id) {
					return fmt.Sprintf("%s does not match this example: %s", e.id, ev.decision().Reason)
				}
				return ""
			}})
		}
		for _, ex := range e.notMatch {
			out = append(out, trial{ex.at, func() string {
				if p.example(ex.argv, e).names(e.id) {
					return fmt.Sprintf("%s matches this example and must not", e.id)
				}
				return ""
			}})
		}
	}
	for _, f := range p.files {
		for _, ex := range f.match {
			out = append(out, trial{ex.at, func() string {
				if !p.covers(f, ex.argv[0]) {
					return fmt.Sprintf("%s does not match this example", f.id)
				}
				return ""
			}})
		}
		for _, ex := range f.notMatch {
			out = append(out, trial{ex.at, func() string {
				if p.covers(f, ex.argv[0]) {
					return fmt.Sprintf("%s matches this example and must not", f.id)
				}
				return ""
			}})
		}
	}
	return out
}

// covers tells whether a file rule speaks of an example path.
func (p *Policy) covers(f *fileRule, text string) bool {
	abs := examplePath(text)
	return slices.ContainsFunc(f.ops.slice(), func(op FileOp) bool { return f.fits(exampleRoots, Path{Abs: abs, Real: abs}, argv.Access(op)) })
}

// example judges a command in a made-up world: every program is a system
// program, every path leads where it says, relative ones into the workspace.
// Built-in rules hold there as everywhere; of the file's own rules for programs
// only the one whose example it is speaks.
func (p *Policy) example(argv []string, e *execRule) *evaluation {
	ev := p.evaluation(Action{Kind: &Exec{Argv: argv}}, exampleFacts)
	ev.trial = e
	ev.judge()
	return &ev
}

// exampleFacts are the facts of every example. A rule with a rate has not been
// used yet.
var exampleFacts = Facts{Attended: true, Confined: true, Roots: exampleRoots, Used: map[string][]time.Time{}}
