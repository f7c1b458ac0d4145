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
	_, wraps := wrappers[name]
	return !wraps && !slices.Contains(builtin.Shells, name) && !slices.Contains(builtin.Interpreters, strings.TrimRight(name, "0123456789."))
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
