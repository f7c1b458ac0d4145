package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"hardshell/policy/argv"
	"hardshell/policy/builtin"
	"hardshell/policy/shell"
	"hardshell/policy/wording"
)

// Limits of what is judged. Beyond them the verdict is deny: a limit never turns
// into a question.
const (
	maxBytes  = 128_000 // bytes of one command with its environment and input
	maxDepth  = 8       // commands inside commands
	maxParts  = 64      // simple commands of one script, as written
	maxJudged = 2048    // commands of one script, after loops and patterns
	maxWork   = 16_384  // steps of judging, rehearsals of loops included
	maxWait   = 30 * time.Second
)

// Exec asks to run a program (Argv) or shell text (Script); exactly one is set.
type Exec struct {
	Argv       []string `json:"argv,omitempty"`
	Script     string   `json:"script,omitempty"`
	Cwd        string   `json:"cwd"` // absolute
	Env        []string `json:"env,omitempty"`
	Stdin      string   `json:"stdin,omitempty"`
	TimeoutS   int      `json:"timeout_s,omitempty"`
	Background bool     `json:"background,omitempty"`
}

var _ Kind = (*Exec)(nil)

// Name is exec.
func (*Exec) Name() string { return "exec" }

// Subject is the command with its variables, its folder and its input.
func (e *Exec) Subject() string {
	var b strings.Builder
	for _, v := range e.Env {
		b.WriteString(wording.Word(v) + " ")
	}
	if e.Script != "" {
		b.WriteString("script " + wording.Text(e.Script))
	}
	for i, w := range e.Argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(wording.Word(w))
	}
	fmt.Fprintf(&b, " (in %s", wording.Word(e.Cwd))
	if e.Stdin != "" {
		fmt.Fprintf(&b, ", stdin %s", wording.Word(e.Stdin))
	}
	if e.Background {
		b.WriteString(", in the background")
	}
	b.WriteByte(')')
	return b.String()
}

// Command is the command itself.
func (e *Exec) Command() *Exec { return e }

// Binds what its programs and files hold.
func (*Exec) Binds() Binding { return BindContents }

func (e *Exec) fields() any {
	return struct {
		Exec *Exec `json:"exec"`
	}{e}
}

// Standing is true of a command whose words say all that it will do. A script, a shell,
// a wrapper and an interpreter are not, nor is a command that is fed through its input,
// nor one in a folder that may hold another program by then.
func (e *Exec) Standing() bool {
	if len(e.Argv) == 0 || e.Script != "" || e.Stdin != "" || len(e.Env) > 0 {
		return false
	}
	prog := e.Argv[0]
	if path.IsAbs(prog) && !slices.Contains(builtin.SystemDirs, path.Dir(prog)) || !path.IsAbs(prog) && path.Base(prog) != prog {
		return false
	}
	name := path.Base(prog)
	return builtin.AttributesOf(name).Wrapper == nil && !slices.Contains(builtin.Shells, name) && !slices.Contains(builtin.Interpreters, strings.TrimRight(name, "0123456789."))
}

func (e *Exec) judge(ev *evaluation) {
	if ev.policy.builtin {
		ev.deny("builtin.no-policy", "there is no policy file, so no command may run", noPolicyHint)
	}
	size := len(e.Script) + len(e.Stdin)
	for _, w := range slices.Concat(e.Argv, e.Env) {
		size += len(w) + 1
		if strings.IndexByte(w, 0) >= 0 {
			ev.deny("builtin.size", "a word holds a NUL byte, which no program can be given", "leave it out")
		}
	}
	switch {
	case (len(e.Argv) > 0) == (e.Script != ""):
		ev.deny("builtin.kind", "a command is either argv or script, and not empty", `write {"argv":["ls","-l"]}`)
		return
	case len(e.Argv) > argv.MaxWords || size > maxBytes:
		ev.deny("builtin.size", fmt.Sprintf("the command has %d words and %d bytes; at most %d and %d are judged", len(e.Argv), size, argv.MaxWords, maxBytes), "put the data into a file and pass its name")
		return
	}
	e.environment(ev)
	if e.Cwd != "" {
		ev.path(scope{cwds: []string{""}}, e.Cwd, argv.List)
	}
	sc, before := scope{cwds: []string{""}, background: e.Background}, len(ev.found)
	if e.Script != "" {
		ev.program("sh")
		ev.script(sc, e.Script)
	} else {
		ev.parts++
		ev.command(sc, argv.Literals(e.Argv))
	}
	if len(ev.found) == before { // that its folder is open allows no command
		ev.deny("builtin.default", "no rule speaks of this command", "")
	}
}

// environment judges the variables that a command is given.
func (e *Exec) environment(ev *evaluation) {
	for _, v := range e.Env {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			ev.deny("builtin.env", fmt.Sprintf("%s is no variable: write NAME=value", wording.Quote(v)), "")
			continue
		}
		ev.variable(name, value)
	}
}

// variable judges one variable that reaches programs. Only names on the list
// pass: too many programs take commands, files or code from their environment.
func (ev *evaluation) variable(name, value string) {
	switch {
	case shell.Steers(name):
		ev.deny("builtin.env", fmt.Sprintf("%s changes which programs run", wording.Quote(name)), "leave it out")
	case !slices.Contains(builtin.Variables, name) && !strings.HasPrefix(name, "LC_") && !slices.Contains(ev.policy.env, name):
		ev.deny("builtin.env", fmt.Sprintf("%s is not among the variables that commands may be given", wording.Quote(name)),
			fmt.Sprintf("the operator can add it to env in the policy; there are %s", strings.Join(append(slices.Clone(builtin.Variables), ev.policy.env...), ", ")))
	case strings.HasPrefix(value, "/") || strings.HasPrefix(value, ":") || strings.Contains(value, ".."):
		if slices.Contains(builtin.Variables, name) || strings.HasPrefix(name, "LC_") {
			ev.deny("builtin.env", fmt.Sprintf("the value %s of %s names a file", wording.Quote(value), name), "leave it out")
		}
	}
}

// asks tells whether a person is asked about programs that no rule speaks of, and could
// see all words of this command.
func (r *report) asks(ws []argv.Word) bool {
	open := r.policy.narrowed == nil || !r.policy.narrowed.hasExec
	return r.policy.unlisted == Ask && open && !slices.ContainsFunc(ws, func(w argv.Word) bool { return w.Kind != argv.Literal })
}

// asksForOwn tells the same of a program that lies in the workspace itself, not behind a
// link: the answer is bound to what the file holds.
func (ev *evaluation) asksForOwn(prog Program, ws []argv.Word) bool {
	return ev.asks(ws) && prog.Hash != "" && prog.Path == prog.Real && ev.placed.root(prog.Real) == "workspace"
}

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

// at is the scope of a place in the script.
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
// before a place (makes, moves, usedAfterMove), the work and what has to be looked up stay.
func (s *scripted) Rehearse(walk func()) {
	ev := s.ev
	found, waits, judged, grants, counts, said := ev.found, ev.waits, ev.judged, ev.grants, ev.counts, ev.notes.count()
	walk()
	ev.notes.forget(said)
	ev.found, ev.waits, ev.judged, ev.grants, ev.counts = slices.Clip(found), waits, judged, grants, counts
}
