package app

import (
	"context"
	"sync"
	"time"

	"hardshell/hw"
	"hardshell/runtime/prompt"
)

const (
	// gaugePatience is how long a turn waits for a look at the board at most. One
	// that takes longer goes on by itself and serves the next turn.
	gaugePatience = 250 * time.Millisecond
	// gaugeFresh is how old a look may be before the board is read again.
	gaugeFresh = 2 * time.Second
	// gaugeStale is the age from which a look says nothing about now.
	gaugeStale = time.Minute
)

// gauge looks at a board for turns, which must not wait for it.
type gauge struct {
	board hw.Board

	mu    sync.Mutex
	last  prompt.Health
	at    time.Time // when last was read, zero before the first look
	begun time.Time // when the look under way began
	done  chan struct{}
}

// healthOf looks at a board; nil where there is none.
func healthOf(b hw.Board) func(context.Context) prompt.Health {
	if b == nil {
		return nil
	}
	return (&gauge{board: b}).look
}

// look gives what is known now: nothing where the board was not in time or can't be
// read.
func (g *gauge) look(ctx context.Context) prompt.Health {
	g.mu.Lock()
	if fresh := !g.at.IsZero() && time.Since(g.at) < gaugeFresh; !fresh {
		if g.done == nil {
			g.begun, g.done = time.Now(), make(chan struct{})
			go g.read(context.WithoutCancel(ctx), g.done)
		}
		done, left := g.done, time.Until(g.begun.Add(gaugePatience))
		g.mu.Unlock()
		wait, cancel := context.WithTimeout(ctx, left)
		select {
		case <-done:
		case <-wait.Done():
		}
		cancel()
		g.mu.Lock()
	}
	defer g.mu.Unlock()
	if g.at.IsZero() || time.Since(g.at) >= gaugeStale {
		return prompt.Health{}
	}
	return g.last
}

// read takes one look and lets go of those who wait for it.
func (g *gauge) read(ctx context.Context, done chan struct{}) {
	r, err := g.board.Sensors(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last, g.at, g.done = prompt.Health{}, time.Now(), nil
	if err == nil {
		g.last = healthIn(r)
	}
	close(done)
}

// healthIn is what a look found out.
func healthIn(r hw.Readings) prompt.Health {
	h := prompt.Health{Temps: map[string]float64{}, Counters: map[string]int64{}}
	for _, t := range r.Temps {
		if t.Off == "" {
			h.Temps[t.Name] = t.Value.Celsius()
		}
	}
	for _, c := range r.Counters {
		if c.Off == "" {
			h.Counters[c.Name] = c.Count
		}
	}
	if r.ModeOff == "" && r.Mode != hw.Unknown {
		h.Mode = r.Mode
	}
	return h
}
