package runtime

import (
	"fmt"
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"

	"hardshell/runtime/message"
)

// heap is what is in use after a collection, in bytes.
func heap() int64 {
	goruntime.GC()
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestCase193_MemoryLevelsOff opens many long sessions and then runs many scheduled
// turns. What the agent holds is that of a few sessions, and no goroutine is left. (A
// fifth of the case's numbers: the rest is more of the same.)
func TestCase193_MemoryLevelsOff(t *testing.T) {
	const sessions, runs, size = 100, 400, 200 << 10
	var steps []step
	for range sessions + runs {
		steps = append(steps, say("ok"))
	}
	l := newLab(t, func(c *Config) { c.NumCtx = 1 << 20 }, steps...)
	l.cat.info.Window = 1 << 20
	turn := func(i int, a Ask) {
		l.do(t.Context(), a)
		l.model.mu.Lock()
		l.model.requests[i].Messages = nil // the script's own memory is not the agent's
		l.model.mu.Unlock()
	}
	long := strings.Repeat("0123456789abcde\n", size/16)
	before, goroutines := heap(), goruntime.NumGoroutine()
	for i := range sessions {
		id := fmt.Sprintf("s%d", i)
		if err := mustSession(l, id).Append("t0", message.Message{Role: message.User, Text: long}, message.Message{Role: message.Assistant, Text: "ok"}); err != nil {
			t.Fatal(err)
		}
		turn(i, Ask{Session: id, Text: "and now?"})
	}
	for i := range runs {
		turn(sessions+i, Ask{Session: fmt.Sprintf("cron:%d", i%40), Text: "tick", Run: "cron"})
	}
	// Nothing that an agent or its broker keeps by session or turn grows for ever.
	for _, of := range []any{l.agent, l.agent.cfg.Approvals} {
		for i, v := 0, reflect.ValueOf(of).Elem(); i < v.NumField(); i++ {
			if f := v.Field(i); (f.Kind() == reflect.Map || f.Kind() == reflect.Slice) && f.Len() > openSessions {
				t.Errorf("%s: %d are in memory, the most is %d", v.Type().Field(i).Name, f.Len(), openSessions)
			}
		}
	}
	if grown := heap() - before; grown > 3*openSessions*size {
		t.Errorf("%d bytes are held after %d sessions of %d bytes", grown, sessions, size)
	}
	if n := goruntime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d at the start", n, goroutines)
	}
	// One that was let go is whole when it is needed again.
	if n := len(mustSession(l, "s0").Messages()); n != 4 {
		t.Errorf("%d messages of s0", n)
	}
}

// TestASessionWithATurnStays holds that a session is not let go under its turn.
func TestASessionWithATurnStays(t *testing.T) {
	l := newLab(t, nil)
	busy := mustSession(l, "busy")
	l.agent.queue.turns["busy"] = &runningTurn{done: make(chan struct{})}
	for i := range 3 * openSessions {
		mustSession(l, fmt.Sprintf("s%d", i))
	}
	if l.agent.sessions.open["busy"].Session != busy || len(l.agent.sessions.open) > openSessions {
		t.Errorf("%d in memory, the busy one among them: %v", len(l.agent.sessions.open), l.agent.sessions.open["busy"].Session == busy)
	}
}
