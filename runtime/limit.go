package runtime

import (
	"fmt"
	"time"

	"hardshell/runtime/event"
)

// Limits bound one turn. Each has a config key of the same name under [turn].
type Limits struct {
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
func DefaultLimits() Limits {
	return Limits{
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
