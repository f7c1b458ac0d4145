package reply

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
)

const (
	// repeatRefuse is from which time on a call is refused that brings the same result
	// again and again.
	repeatRefuse = 3
	// repeatMost is the same where something new was done before each of them.
	repeatMost = 6
)

// Repeats counts calls of a turn that bring nothing new: same tool, same
// effective input, same result. A poll that sees another result starts anew, so
// that honest waiting is no loop.
type Repeats struct {
	calls   map[[32]byte]repeated
	news    int // how often something new was done
	refused int // the request after which a call was refused first, 0 never
}

// repeated is what a call brought so far.
type repeated struct {
	result [32]byte // the last one
	count  int      // how often in a row
	news   int      // Repeats.news at that time
}

// NewRepeats begins the count of a turn.
func NewRepeats() *Repeats { return &Repeats{calls: map[[32]byte]repeated{}} }

// Identity is what makes two calls the same: tool and effective arguments, however
// they are spaced and ordered.
func Identity(tool string, args []byte) [32]byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&v) == nil {
		if plain, err := json.Marshal(v); err == nil {
			args = plain
		}
	}
	return sha256.Sum256(fmt.Appendf(nil, "%d %s\n%s", len(tool), tool, args))
}

// Known reports whether a call was made before.
func (r *Repeats) Known(in [32]byte) bool { return r.calls[in].count > 0 }

// Blocked reports whether a call has brought the same result so often that it
// must not run again. After something new was done it may.
func (r *Repeats) Blocked(in [32]byte) bool {
	c := r.calls[in]
	return c.count >= repeatMost-1 || c.count >= repeatRefuse-1 && c.news == r.news
}

// took is the time that a command took, in the line below its output.
var took = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\[exit -?\d+), [0-9hms.]+,`)
})

// Saw records a result and returns how often it has now come in a row.
func (r *Repeats) Saw(in [32]byte, result string) int {
	out := sha256.Sum256(took().ReplaceAll([]byte(result), []byte("$1,")))
	c := r.calls[in]
	if c.result != out {
		c.result, c.count = out, 0
	}
	c.count, c.news = c.count+1, r.news
	r.calls[in] = c
	return c.count
}

// News notes that something was done that was not done before: what looks the same
// from now on may be worth another look.
func (r *Repeats) News() { r.news, r.refused = r.news+1, 0 }

// Forget begins anew: a call waited for news, so that looking again is no loop,
// whatever is looked at.
func (r *Repeats) Forget() { clear(r.calls) }

// Refuse notes that a call was refused after a request (counted from 1), and reports
// whether the model had been told before: then it goes on in circles.
func (r *Repeats) Refuse(request int) bool {
	if r.refused == 0 {
		r.refused = request
	}
	return request > r.refused
}

// RepeatNote is what the model reads below the nth result that is the same; empty as
// long as there is no need.
func RepeatNote(n int) string {
	if n < repeatRefuse-1 {
		return ""
	}
	return fmt.Sprintf("\n[same call, same result: number %d in a row; the next one is refused. Use what you have, wait before you look again, or do something else]", n)
}

// RepeatRefusal is the result of a call that was not run any more.
func RepeatRefusal(tool string) string {
	return fmt.Sprintf("refused: %s with these arguments gave the same result again and again, so it was not run; answer with what you have, or do something else. At the next such call the turn ends.", tool)
}
