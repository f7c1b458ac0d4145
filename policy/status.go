package policy

// Status asks to read the agent's own state or the board's sensors. It changes nothing.
type Status struct{}

var _ Kind = Status{}

// Name is status.
func (Status) Name() string { return "status" }

// Subject is empty: the tool says all.
func (Status) Subject() string { return "" }

// Command is nil: it starts none.
func (Status) Command() *Exec { return nil }

// Binds the arguments.
func (Status) Binds() Binding { return BindArguments }

// Standing is false: nobody is asked.
func (Status) Standing() bool { return false }

func (Status) fields() any { return struct{}{} }

func (Status) judge(ev *evaluation) {
	ev.add(match{rule: "builtin.status", verdict: Allow, why: "looking at the agent's own state changes nothing", reason: "reads the agent's own state and changes nothing"})
}
