package app

import (
	"context"
	"fmt"
	"sync"

	"hardshell/hw"
)

// heat says when a board has nothing to spare for work ahead of need: above a soft
// limit of temperature, and when it counted an over-current since the last look.
type heat struct {
	board hw.Board
	limit int // degrees Celsius, model.warm_up_max_temp; 0: none

	mu       sync.Mutex
	counters map[string]int64
}

// spareOf looks at a board; nil where there is none.
func spareOf(b hw.Board, limit int) func(context.Context) string {
	if b == nil {
		return nil
	}
	h := &heat{board: b, limit: limit}
	return h.why
}

// why says what is in the way, empty when nothing is. A board that can't be read
// counts as hot.
func (h *heat) why(ctx context.Context) string {
	r, err := h.board.Sensors(ctx)
	if err != nil {
		return fmt.Sprintf("the board's sensors can't be read: %v", err)
	}
	if why := h.overCurrent(r.Counters); why != "" || h.limit == 0 {
		return why
	}
	top, known := r.Hottest()
	switch celsius := top.Value.Celsius(); {
	case !known:
		return "the board tells no temperature"
	case celsius > float64(h.limit):
		return fmt.Sprintf("%s is at %.0f °C, above model.warm_up_max_temp = %d", top.Name, celsius, h.limit)
	}
	return ""
}

// overCurrent names a counter that rose since the last look.
func (h *heat) overCurrent(all []hw.Counter) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.counters == nil
	if first {
		h.counters = map[string]int64{}
	}
	why := ""
	for _, c := range all {
		if c.Off != "" {
			continue
		}
		if n := c.Count - h.counters[c.Name]; n > 0 && !first && why == "" {
			why = fmt.Sprintf("the board counted %d more of %s: it is short of power", n, c.Name)
		}
		h.counters[c.Name] = c.Count
	}
	return why
}
