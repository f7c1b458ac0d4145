package labday

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/test/ollama"
)

// Request is one model request of the day and what it cost. Figures are tokens.
type Request struct {
	At   time.Time
	Kind string // chat, cron, heartbeat, wake, sub-agent, seed, warm-up
	Sub  bool   // of a sub-agent's session
	Slot int
	// Prompt is the whole prompt, New what of it the agent's own session had not sent
	// before (all of it for a sub-agent), Evaluated what the server read.
	Prompt, New, Evaluated int
}

// Tap stands before the model and notes what each request cost.
type Tap struct {
	server *ollama.Server
	model  *model.Client
	clock  *Clock
	habits *Habits

	mu       sync.Mutex
	kind     string
	claimed  map[int]bool // lines of the log that belong to a request already
	requests []Request
	longest  int    // the longest prompt of the agent's own session so far
	system   string // of the agent's own session
	tools    string
	moved    error // system text or tool array changed
}

// Expect names the kind of the turns to come.
func (t *Tap) Expect(kind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kind = kind
}

// Requests are the requests so far, and the error of a prefix that moved.
func (t *Tap) Requests() ([]Request, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requests, t.moved
}

// count is how many requests there were.
func (t *Tap) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.requests)
}

// subMark begins the system text of every sub-agent.
const subMark = "As a sub-agent"

// Chat passes a request on.
func (t *Tap) Chat(ctx context.Context, q model.Request, chunk func(model.Chunk)) (model.Reply, error) {
	t.mu.Lock()
	r := Request{At: t.clock.Now(), Kind: t.kind, Sub: strings.HasPrefix(q.Messages[0].Text, subMark)}
	t.mu.Unlock()
	switch {
	case q.NumPredict == 1:
		r.Kind = "warm-up"
	case q.NumPredict < 64:
		r.Kind = "seed"
	}
	if t.habits != nil {
		q = t.habits.change(q, r)
	}
	if err := t.compare(q, r.Sub); err != nil {
		return model.Reply{}, err
	}
	rep, err := t.model.Chat(ctx, q, chunk)
	if err != nil {
		return rep, err
	}
	return rep, t.note(ctx, r, rep.Usage)
}

// compare holds that the agent's own session keeps its system text and tool array;
// with habits they are free.
func (t *Tap) compare(q model.Request, sub bool) error {
	array, err := model.ToolArray(q.Tools)
	if err != nil || sub || t.habits != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.system == "" {
		t.system, t.tools = q.Messages[0].Text, string(array)
	}
	if q.Messages[0].Role != message.System || t.system != q.Messages[0].Text || t.tools != string(array) {
		t.moved = fmt.Errorf("the prefix moved in request %d: system text or tool array differ from the first request's", len(t.requests)+1)
		return t.moved
	}
	return nil
}

// logLag bounds how long a line of the server's log may come behind the reply: a
// runner's lines go through the server, which a busy machine holds up.
const logLag = 20 * time.Second

// note finds the request in the server's log.
func (t *Tap) note(ctx context.Context, r Request, u model.Usage) error {
	ctx, cancel := context.WithTimeout(ctx, logLag)
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		slots, err := t.server.Slots()
		if err != nil || t.claim(r, u, slots) {
			return err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return fmt.Errorf("the server's log has no request of %d tokens: %s", u.Prompt, t.server.Log)
		}
	}
}

// claim takes the oldest line of the request's size that no other one has.
func (t *Tap) claim(r Request, u model.Usage, slots []ollama.Slot) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.claimed == nil {
		t.claimed = map[int]bool{}
	}
	for i, s := range slots {
		if t.claimed[i] || s.Prompt != u.Prompt {
			continue
		}
		t.claimed[i] = true
		r.Slot, r.Prompt, r.Evaluated, r.New = s.ID, s.Prompt, s.Remaining, s.Prompt
		if !r.Sub {
			if t.longest > 0 {
				r.New = max(mark, s.Prompt-t.longest+mark)
			}
			t.longest = max(t.longest, s.Prompt)
		}
		t.requests = append(t.requests, r)
		return true
	}
	return false
}

// mark is the one token behind which a reply begins: the last of a prompt, never a
// part of the next one.
const mark = 1

// Total sums requests up that match.
type Total struct{ Requests, New, Evaluated int }

// Ratio is how many tokens were evaluated for each new one.
func (t Total) Ratio() float64 { return float64(t.Evaluated) / float64(max(1, t.New)) }

// Sum adds up the requests of the agent's own session, or those of sub-agents.
func Sum(all []Request, sub bool) Total {
	var t Total
	for _, r := range all {
		if r.Sub == sub {
			t.Requests++
			t.New += r.New
			t.Evaluated += r.Evaluated
		}
	}
	return t
}
