package policy

// Plan asks to write down a conversation's plan, which nothing acts on.
type Plan struct{}

var _ Kind = Plan{}

// Name is plan.
func (Plan) Name() string { return "plan" }

// Subject is empty: the tool says all.
func (Plan) Subject() string { return "" }

// Command is nil: it starts none.
func (Plan) Command() *Exec { return nil }

// Binds the arguments: the plan is text.
func (Plan) Binds() Binding { return BindArguments }

// Standing is false: nobody is asked.
func (Plan) Standing() bool { return false }

func (Plan) fields() any { return struct{}{} }

func (Plan) judge(ev *evaluation) {
	ev.add(match{rule: "builtin.plan", verdict: Allow, why: "a plan is text that nothing acts on", reason: "writes down the conversation's plan"})
}
