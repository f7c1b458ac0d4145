package model

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"hardshell/runtime/message"
)

const (
	// firstRatio is how many bytes a token has before a server has counted any.
	// English text has about 4.4, tool schemas 3.8 (SmolLM2's tokenizer).
	firstRatio = 3.8
	// minSample is the smallest prompt that says something about the ratio, in
	// bytes; below it the template's own tokens weigh too much.
	minSample = 200
	// halved is how far a count has to be below the estimate for the prompt to
	// be taken for cut.
	halved = 0.65
	// costly is how long a prompt must have taken before its time says anything:
	// below it a cold cache and a warm one look alike, and nobody waits for it.
	costly = time.Second
	// loading is a load time that only a model that was not there needs; its cache
	// is empty for certain.
	loading = 150 * time.Millisecond
)

// Ledger is the belief about what a server's cache holds. For each slot it keeps
// the prompt last sent, so that it can say of the next one how much will be
// reused, and where the first differing byte lies. It also holds the estimate of
// bytes per token, corrected by each count that a server reports.
//
// It sees the request, not the rendered prompt: a template that moves tools or
// drops thinking makes the truth smaller than the prediction. A Ledger may be
// used from several goroutines.
type Ledger struct {
	mu     sync.Mutex
	slots  []slot
	clock  int     // counts requests, to find the slot unused for longest
	ratio  float64 // bytes per token, 0 before the first count
	rate   float64 // prompt tokens per second of a cold prompt, 0 unknown
	window int     // what the server proved to take, in tokens, 0 nothing proved
	low    int     // requests in a row whose reuse was far below the prediction
}

// slot is one prompt that the server is believed to hold.
type slot struct {
	model  string
	numCtx int
	parts  []part
	prompt int // tokens, as the server counted them
	used   int // the ledger's clock
}

// part is a named piece of a prompt.
type part struct{ name, text string }

// NewLedger makes the ledger of a server with one slot.
func NewLedger() *Ledger { return &Ledger{slots: make([]slot, 1)} }

// Tokens estimates the tokens of a number of prompt bytes, rounded up.
func (l *Ledger) Tokens(bytes int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tokens(bytes)
}

func (l *Ledger) tokens(bytes int) int {
	ratio := l.ratio
	if ratio == 0 {
		ratio = firstRatio
	}
	return int(math.Ceil(float64(bytes) / ratio))
}

// Window is how many tokens of a window the server has proved to use: NumCtx,
// or less after it cut a prompt at less.
func (l *Ledger) Window(numCtx int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.window > 0 {
		return min(numCtx, l.window)
	}
	return numCtx
}

// Plan is what the ledger expects of a request.
type Plan struct {
	// Bytes is the size of the prompt, Tokens the estimate of its tokens.
	Bytes, Tokens int
	// Common counts the leading bytes that the server holds already; Predicted
	// is the estimate of the tokens that it will reuse for them.
	Common, Predicted int
	// Break is the first byte that differs from what the server holds, and Part
	// the piece of the prompt in which it lies ("system", "tools", "message 3
	// (user)"). Break is -1 when nothing that is held has changed: the prompt
	// only grew, or nothing is held.
	Break int
	Part  string

	model  string
	numCtx int
	parts  []part
	slot   int
}

// Plan predicts the reuse of a request, as the server chooses its slot: the one
// with the longest common prefix.
func (l *Ledger) Plan(q Request) Plan {
	parts := partsOf(q)
	l.mu.Lock()
	defer l.mu.Unlock()
	p := Plan{Break: -1, model: q.Model, numCtx: q.NumCtx, parts: parts}
	for _, x := range parts {
		p.Bytes += len(x.text)
	}
	p.Tokens = l.tokens(p.Bytes)
	best := -1
	for i, s := range l.slots {
		common, at, name := 0, -1, ""
		switch {
		case s.parts == nil:
		case s.model != q.Model || s.numCtx != q.NumCtx:
			at, name = 0, "model"
		default:
			common, at, name = compare(s.parts, parts)
		}
		if common > best || common == best && s.used < l.slots[p.slot].used {
			best, p.slot, p.Common, p.Break, p.Part = common, i, common, at, name
		}
	}
	p.Predicted = min(l.tokens(p.Common), p.Tokens)
	return p
}

// Outcome is what a finished request taught.
type Outcome struct {
	// Reused is how many prompt tokens were not read anew. Known is true when
	// the server said so; else it is an estimate from the time that reading the
	// prompt took, or, with no such time to compare, the prediction.
	Reused int
	Known  bool
	// Truncated is true when the counts show that the server cut the prompt.
	Truncated bool
	// Fresh is true when the model was just loaded: what any slot held before is
	// gone.
	Fresh bool
	// Low counts the requests in a row, this one included, whose reuse was less
	// than half of a prediction that was worth having.
	Low int
}

// Done notes that a planned request was sent and what the server counted.
func (l *Ledger) Done(p Plan, u Usage) Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	var o Outcome
	o.Fresh = u.Load >= loading
	if o.Fresh {
		l.slots = make([]slot, len(l.slots))
	}
	o.Reused, o.Known = l.reused(p, u)
	o.Truncated = u.Truncated || l.cut(p, u)
	switch {
	case o.Truncated:
		l.window = u.Prompt
	case u.Prompt > 0:
		l.learn(p, u)
	}
	telling := !o.Fresh && (o.Known || u.PromptEval >= costly)
	if telling && 2*p.Predicted >= u.Prompt && p.Common >= minSample && 2*o.Reused < p.Predicted {
		l.low++
	} else if p.Common >= minSample {
		l.low = 0
	}
	o.Low = l.low
	l.hold(p.slot%len(l.slots), p, u)
	return o
}

// hold notes what a slot holds now.
func (l *Ledger) hold(at int, p Plan, u Usage) {
	l.clock++
	l.slots[at] = slot{model: p.model, numCtx: p.numCtx, parts: p.parts, prompt: u.Prompt, used: l.clock}
}

// Sent is a planned request that was answered.
type Sent struct {
	Plan  Plan
	Usage Usage
}

// Settle replaces the belief by one that was found out: the server has as many
// slots as prompts are given and each slot holds one of them.
func (l *Ledger) Settle(held ...Sent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots = make([]slot, max(1, len(held)))
	for i, h := range held {
		l.hold(i, h.Plan, h.Usage)
	}
}

// learn corrects the estimates by what the server counted.
func (l *Ledger) learn(p Plan, u Usage) {
	if p.Bytes >= minSample {
		seen := min(max(float64(p.Bytes)/float64(u.Prompt), 0.25), 16)
		if l.ratio == 0 {
			l.ratio = seen
		}
		l.ratio = 0.5*l.ratio + 0.5*seen
	}
	// Another process may have filled the cache that this one knows nothing of, so
	// a prompt counts as cold only when the model was just loaded or it took long.
	if p.Common == 0 && u.Prompt >= minSample/4 && u.PromptEval > 0 && (u.Load >= loading || u.PromptEval >= costly) {
		l.rate = float64(u.Prompt) / u.PromptEval.Seconds()
	}
	if l.window > 0 && u.Prompt > l.window {
		l.window = 0 // it takes more after all
	}
}

// reused is the server's word, or an estimate.
func (l *Ledger) reused(p Plan, u Usage) (int, bool) {
	if u.CachedKnown {
		return u.Cached, true
	}
	if l.rate == 0 || u.PromptEval == 0 {
		return min(p.Predicted, u.Prompt), false
	}
	read := int(l.rate * u.PromptEval.Seconds())
	return max(0, u.Prompt-read), false
}

// cut reports whether a count can only mean that the server dropped a part of
// the prompt. A count that is merely smaller than the estimate means that the
// estimate was wrong; so it takes either the mark of a known fault, a prompt of
// twice the size counted as half the window or as the 4,096 tokens of a server
// that ignores num_ctx, or a prompt that grew while its count shrank.
func (l *Ledger) cut(p Plan, u Usage) bool {
	if u.Prompt == 0 {
		return false
	}
	s := l.slots[p.slot%len(l.slots)]
	if u.CachedKnown && s.prompt > 0 && p.Break < 0 && p.Common > 0 && float64(u.Prompt) < 0.9*float64(s.prompt) {
		return true
	}
	if float64(u.Prompt) > halved*float64(p.Tokens) {
		return false
	}
	return near(u.Prompt, p.numCtx/2) || p.numCtx > 4096 && near(u.Prompt, 4096)
}

// near reports whether a count is a limit give or take two per cent.
func near(n, limit int) bool {
	d := n - limit
	return max(d, -d) <= max(8, limit/50)
}

// partsOf names the pieces of a prompt in the order in which the usual templates
// render them: the level of a model that thinks in levels, system text, tools,
// history. On and off stand behind the history, where nothing is lost by them.
func partsOf(q Request) []part {
	var out []part
	if w, _, err := Wrap(q); err == nil { // Chat refuses the request otherwise
		q = w
	}
	rest := q.Messages
	if q.Think != "" && q.Think != ThinkOff && q.Think != ThinkOn {
		out = append(out, part{"thinking level", string(q.Think)})
	}
	if len(rest) > 0 && rest[0].Role == message.System {
		out = append(out, part{"system", rest[0].Text})
		rest = rest[1:]
	}
	tools := ""
	if len(q.Tools) > 0 {
		raw, err := ToolArray(q.Tools)
		if err != nil {
			raw = []byte(err.Error()) // Chat refuses the request; the ledger has no say
		}
		tools = string(raw)
	}
	out = append(out, part{"tools", tools})
	for i, m := range rest {
		var b strings.Builder
		b.WriteString(m.ToolName)
		b.WriteString(m.Text)
		for _, c := range m.Calls {
			b.WriteString(c.Name)
			b.Write(c.Args)
		}
		out = append(out, part{fmt.Sprintf("message %d (%s)", i+1, m.Role), b.String()})
	}
	return out
}

// compare gives the leading bytes that two prompts share, and where the newer one
// leaves the older: at -1 when it only goes on.
func compare(held, now []part) (common, at int, name string) {
	for i, h := range held {
		if i == len(now) {
			return common, common, "end" // the newer one is shorter
		}
		n := now[i]
		if h == n {
			common += len(h.text)
			continue
		}
		same := Shared(h.text, n.text)
		return common + same, common + same, n.name
	}
	return common, -1, ""
}

// Shared is how many leading bytes two texts have in common.
func Shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
