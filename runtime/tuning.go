package runtime

import (
	"hardshell/assembly"
	"hardshell/runtime/hooks"
	"hardshell/runtime/prompt"
)

// Tuning is what may change while an agent lives. It changes between turns only, so
// that a turn ends under what it began with.
type Tuning struct {
	Budget  assembly.Limits
	Limits  Limits
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
func (a *Agent) Between(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waits = f
	a.betweenTurns()
}

// betweenTurns runs what waits for the end of all turns. The caller holds a.mu.
func (a *Agent) betweenTurns() {
	if f := a.waits; f != nil && len(a.turns) == 0 {
		a.waits = nil
		f()
	}
}
