package self

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/args"
)

// State is what session_status tells. What is not known is left at its zero
// value and said to be unknown.
type State struct {
	// Time is now, in the zone of the person; Zone its IANA name.
	Time time.Time
	Zone string
	// TwelveHour writes the time of day as 2:05:09 PM.
	TwelveHour bool
	// ClockDoubt says why the clock is not trusted; empty when it is.
	ClockDoubt string
	Model      string
	Window     int // tokens
	Used       int // tokens of the last prompt
	// Reused is the part of the last prompt that the server had in its cache, in
	// tokens; nil when the server does not say.
	Reused *int
	Board  string
	// Think and Reasoning are the session's levels.
	Think, Reasoning string
	// Notes are further lines: changed files, weaker sandbox.
	Notes []string
}

// StatusSource knows the state of a session.
type StatusSource interface {
	SessionStatus(ctx context.Context, session string) (State, error)
	// SetSession sets what a session has of its own and says in a sentence what
	// holds from the next turn on.
	SetSession(ctx context.Context, session string, set policy.Setting) (string, error)
}

// SessionStatus tells the model the time and its own state.
type SessionStatus struct{ source StatusSource }

// NewSessionStatus makes the session_status tool.
func NewSessionStatus(s StatusSource) *SessionStatus { return &SessionStatus{source: s} }

var _ tools.Tool = (*SessionStatus)(nil)

type statusArgs struct {
	Model     string `json:"model,omitempty"`
	Reasoning string `json:"reasoning,omitempty" enum:"off,on,stream,default"`
}

var statusSpec = sync.OnceValue(func() tools.Spec {
	return tools.Spec{
		Name:        "session_status",
		Description: "Show time, model, session",
		Guide:       "exact time and date, this session's state; set `model` or `reasoning` only when asked",
		Schema:      args.SchemaOf[statusArgs](),
	}
})

// Spec is how session_status is offered.
func (*SessionStatus) Spec() tools.Spec { return statusSpec() }

// Prepare needs nothing. Looking changes nothing; a model or a level that is named is
// an effect, and policy's to decide.
func (t *SessionStatus) Prepare(_ context.Context, from tools.Origin, raw json.RawMessage) (tools.Prepared, error) {
	var a statusArgs
	if err := args.Decode(raw, &a); err != nil {
		return tools.Prepared{}, err
	}
	if set := (policy.Setting{Model: a.Model, Reasoning: a.Reasoning}); set != (policy.Setting{}) {
		return t.set(from, set), nil
	}
	return tools.Prepared{
		Action: policy.Action{Tool: statusSpec().Name, Kind: policy.Look{}},
		Do: func(ctx context.Context, _ tools.Judged, _ func(string)) (tools.Output, error) {
			s, err := t.source.SessionStatus(ctx, from.Session)
			if err != nil {
				return tools.Output{}, fmt.Errorf("the state of session %s can't be read: %w; go on without it", from.Session, err)
			}
			return tools.Output{Text: s.text(from)}, nil
		},
	}, nil
}

// set is the plan of a change.
func (t *SessionStatus) set(from tools.Origin, set policy.Setting) tools.Prepared {
	return tools.Prepared{
		Action: policy.Action{Tool: statusSpec().Name, Kind: &set},
		Do: func(ctx context.Context, _ tools.Judged, _ func(string)) (tools.Output, error) {
			text, err := t.source.SetSession(ctx, from.Session, set)
			if err != nil {
				return tools.Output{}, fmt.Errorf("nothing was set: %w", err)
			}
			return tools.Output{Text: text}, nil
		},
	}
}

// Text lays the state out, one fact a line.
func (s State) text(from tools.Origin) string {
	var b strings.Builder
	zone := s.Zone
	if zone == "" {
		zone = s.Time.Format("-07:00")
	}
	layout := "Monday 2006-01-02 15:04:05 -07:00"
	if s.TwelveHour {
		layout = "Monday 2006-01-02 3:04:05 PM -07:00"
	}
	fmt.Fprintf(&b, "time: %s (%s)\n", s.Time.Format(layout), zone)
	if s.ClockDoubt != "" {
		fmt.Fprintf(&b, "clock: not trusted, %s\n", s.ClockDoubt)
	}
	fmt.Fprintf(&b, "session: %s, run %s\n", or(from.Session), or(from.Run))
	fmt.Fprintf(&b, "model: %s, window %s\n", or(s.Model), count(s.Window, "tokens"))
	fmt.Fprintf(&b, "think: %s, reasoning shown: %s\n", or(s.Think), or(s.Reasoning))
	reused := "unknown"
	if s.Reused != nil {
		reused = count(*s.Reused, "")
		if *s.Reused == 0 {
			reused = "0"
		}
	}
	fmt.Fprintf(&b, "last prompt: %s, reused %s\n", count(s.Used, "tokens"), reused)
	fmt.Fprintf(&b, "board: %s\n", or(s.Board))
	for _, n := range s.Notes {
		b.WriteString(n + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func or(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func count(n int, unit string) string {
	if n == 0 {
		return "unknown"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", n, unit))
}
