package runtime

import (
	"fmt"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/prompt"
)

// Tuning is what may change while an agent lives. It changes between turns only, so
// that a turn ends under what it began with.
type Tuning struct {
	Budget  assembly.Budget
	Limits  TurnLimits
	Knobs   assembly.Knobs
	Overlay *assembly.Overlay
	Hooks   []hooks.Hook
	Skills  func() []assembly.Skill
	Temp    *float64
}

// tuning is what a Config says of it.
func (c Config) tuning() Tuning {
	return Tuning{Budget: c.Budget, Limits: c.Limits, Knobs: c.Knobs, Overlay: c.Overlay, Hooks: c.Hooks, Skills: c.Skills, Temp: c.Temp}
}

// prompt is what of it prompts are made of.
func (t *Tuning) prompt() prompt.Settings {
	return prompt.Settings{Budget: t.Budget, Knobs: t.Knobs, Overlay: t.Overlay, Hooks: t.Hooks, Skills: t.Skills, Temp: t.Temp}
}

// now is the tuning in force.
func (a *Agent) now() *Tuning { return a.tuned.Load() }

// TwelveHour reports whether times of day are written for the model as 2:05 PM.
func (a *Agent) TwelveHour() bool { return a.now().Knobs.TwelveHour }

// Retune sets what holds from now on. It belongs into Between. What it means for the
// prompt is read while nobody talks.
func (a *Agent) Retune(t Tuning) {
	a.tuned.Store(&t)
	a.warm.Kick()
}

// Between runs f while no turn of the agent runs: at once, or when the last one
// ends, before another can begin. Of several that wait the newest is run. f must not
// call the agent, besides Retune.
func (a *Agent) Between(f func()) { a.queue.between(f) }

// TurnLimits bound one turn. Each has a config key of the same name under [turn].
type TurnLimits struct {
	// MaxQuestion is the longest message in bytes (turn.max_question).
	MaxQuestion int
	// MaxSteps is the number of model requests (turn.max_steps).
	MaxSteps int
	// MaxCalls is the number of tool calls (turn.max_calls).
	MaxCalls int
	// MaxTime is the wall time from the first request on (turn.max_time). Time
	// that a question to a person waits is part of it.
	MaxTime time.Duration
	// MaxWakes is how often in a row a session is woken by what happened without a
	// person having spoken (turn.max_wakes); 0 wakes nobody.
	MaxWakes int
	// NumPredict caps what one request generates, in tokens (model.num_predict).
	NumPredict int
}

// DefaultLimits are what a lab turn needs with room to spare.
func DefaultLimits() TurnLimits {
	return TurnLimits{
		MaxQuestion: 32 << 10, MaxSteps: 24, MaxCalls: 48,
		MaxTime: 15 * time.Minute, NumPredict: 1024, MaxWakes: 10,
	}
}

// limitReached is the problem of a turn that a limit ended.
func limitReached(key string, value any, what string) *event.Problem {
	return &event.Problem{
		Code:    "limit",
		Message: fmt.Sprintf("stopped: %s reached the limit %s = %v", what, key, value),
		Hint:    fmt.Sprintf("say \"go on\" to continue, or raise %s in config.toml", key),
	}
}
