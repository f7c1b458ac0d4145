package prompt

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"hardshell/runtime/session"
)

// Health is one look at the board, as far as it is known. What is not known is left
// out, and nothing is said of it: unknown is neither cool nor zero.
type Health struct {
	Mode     string             // power mode by name; empty when not known
	Temps    map[string]float64 // degrees Celsius
	Counters map[string]int64   // events since the board started, such as over-current
}

// cooled is how far below the soft limit the board must come before its heat is
// over, in degrees Celsius, so that one that lingers at the limit is told once.
const cooled = 5

// Keys under which a session knows what the model was told of the board.
const (
	keyMode    = "board mode"
	keyHeat    = "board heat" // the reading that was told as hot, empty when none
	keyCounter = "board counter "
)

// boardFacts are what has changed of the board since the session's last turn. The
// first look only notes where things stand, besides heat, which is news at once.
func (m *Maker) boardFacts(ctx context.Context, s *session.Session) ([]string, error) {
	if m.cfg.Health == nil {
		return nil, nil
	}
	h := m.cfg.Health(ctx)
	var out []string
	for _, look := range []func(*session.Session, Health) (string, error){mode, m.heat} {
		fact, err := look(s, h)
		if err != nil {
			return nil, err
		}
		if fact != "" {
			out = append(out, fact)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h.Counters)) {
		fact, err := counter(s, name, h.Counters[name])
		if err != nil {
			return nil, err
		}
		if fact != "" {
			out = append(out, fact)
		}
	}
	return out, nil
}

// mode tells another power mode than the last one.
func mode(s *session.Session, h Health) (string, error) {
	if h.Mode == "" {
		return "", nil
	}
	last, changed, err := s.Changed(keyMode, h.Mode)
	if !changed {
		return "", err
	}
	return fmt.Sprintf("power mode: %s, until now %s", h.Mode, last), nil
}

// heat tells that the board rose above the soft limit, and that it came back. The
// reading that was told has to be known, and all that are known cool, for the latter.
func (m *Maker) heat(s *session.Session, h Health) (string, error) {
	limit := float64(m.cfg.HeatLimit)
	if limit == 0 || len(h.Temps) == 0 {
		return "", nil
	}
	top := slices.MaxFunc(slices.Sorted(maps.Keys(h.Temps)), func(a, b string) int {
		return cmp.Compare(h.Temps[a], h.Temps[b])
	})
	hot, _ := s.LastDelivered(keyHeat)
	switch _, known := h.Temps[hot]; {
	case hot == "" && h.Temps[top] > limit:
		_, err := s.Delivered(keyHeat, top)
		return fmt.Sprintf("heat: %s is above the soft limit of %.0f °C", top, limit), err
	case hot != "" && known && h.Temps[top] <= limit-cooled:
		_, err := s.Delivered(keyHeat, "")
		return fmt.Sprintf("heat: over, the board is down to %.0f °C or less", limit-cooled), err
	}
	return "", nil
}

// counter tells how often a counter rose. One that is lower than before began anew
// with the board.
func counter(s *session.Session, name string, n int64) (string, error) {
	last, changed, err := s.Changed(keyCounter+name, strconv.FormatInt(n, 10))
	if !changed {
		return "", err
	}
	before, err := strconv.ParseInt(last, 10, 64)
	if err != nil {
		return "", fmt.Errorf("what was told of %s: %w; start a new conversation with /new", name, err)
	}
	if n < before {
		before = 0
	}
	if n == before { // begun anew, at nothing
		return "", nil
	}
	return fmt.Sprintf("power alert: %s rose by %d", name, n-before), nil
}
