package policy

import "hardshell/policy/wording"

// Process asks to look at, feed or end a command in the background: policy let it
// start.
type Process struct {
	Op string `json:"op"` // list, poll, log, write, keys, kill, remove
	ID string `json:"id,omitempty"`
	// Input is true when text reaches the command: it is then judged as if it had
	// been started with that text as its stdin.
	Input bool `json:"input,omitempty"`
	// Exec is the command that gets input, nil where none does.
	Exec *Exec `json:"-"`
}

var _ Kind = (*Process)(nil)

// Name is process.
func (*Process) Name() string { return "process" }

// Subject says what is done with which one.
func (p *Process) Subject() string {
	s := "process " + p.Op
	if p.ID != "" {
		s += " " + wording.Word(p.ID)
	}
	if p.Exec != nil {
		s += ": " + p.Exec.Subject()
	}
	return s
}

// Command is the one that gets input.
func (p *Process) Command() *Exec { return p.Exec }

// Binds what the command names, where it is fed.
func (p *Process) Binds() Binding {
	if p.Exec != nil {
		return BindContents
	}
	return BindArguments
}

// Standing is false: the process is another one the next time.
func (*Process) Standing() bool { return false }

func (p *Process) fields() any {
	return struct {
		Exec    *Exec    `json:"exec,omitempty"`
		Process *Process `json:"process"`
	}{p.Exec, p}
}

func (p *Process) judge(ev *evaluation) {
	switch {
	case p.Input && p.Exec != nil:
		p.Exec.judge(ev)
	case !p.Input && p.Exec == nil:
		ev.add(match{rule: "builtin.background", verdict: Allow, why: "a command that policy let start may be looked at, interrupted and ended", reason: "minds a command that runs in the background"})
	default:
		ev.unknownKind(p.Name()) // input and the command that gets it go together
	}
}
