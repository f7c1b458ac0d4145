package policy

// Look asks to read the agent's own state or the board's sensors. It changes nothing.
type Look struct{}

var _ Kind = Look{}

// Name is status.
func (Look) Name() string { return "status" }

// Subject is empty: the tool says all.
func (Look) Subject() string { return "" }

// Command is nil: it starts none.
func (Look) Command() *Exec { return nil }

// Binds the arguments.
func (Look) Binds() Binding { return BindArguments }

// Standing is false: nobody is asked.
func (Look) Standing() bool { return false }

func (Look) fields() any { return struct{}{} }

func (Look) judge(ev *evaluation) {
	ev.add(match{rule: "builtin.status", verdict: Allow, why: "looking at the agent's own state changes nothing", reason: "reads the agent's own state and changes nothing"})
}
