package reply

import (
	"crypto/sha256"
	"fmt"
)

const (
	// RepeatWarn is from which time on the model is told that the same call brought
	// the same result.
	RepeatWarn = 3
	// repeatRefuse is from which time on such a call is refused.
	repeatRefuse = 6
)

// Repeats counts calls of a turn that bring nothing new: same tool, same
// effective input, same result. A poll that sees another result starts anew, so
// that honest waiting is no loop.
type Repeats struct {
	last  map[[32]byte][32]byte // input → result it gave last
	count map[[32]byte]int      // input → how often in a row with that result
}

// NewRepeats begins the count of a turn.
func NewRepeats() *Repeats {
	return &Repeats{last: map[[32]byte][32]byte{}, count: map[[32]byte]int{}}
}

// Identity is what makes two calls the same: tool and effective arguments.
func Identity(tool string, args []byte) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%d %s\n%s", len(tool), tool, args))
}

// Blocked reports whether a call has brought the same result so often that it
// must not run again.
func (r *Repeats) Blocked(in [32]byte) bool { return r.count[in] >= repeatRefuse-1 }

// Saw records a result and returns how often it has now come in a row.
func (r *Repeats) Saw(in [32]byte, result string) int {
	out := sha256.Sum256([]byte(result))
	if r.last[in] != out || r.count[in] == 0 {
		r.last[in], r.count[in] = out, 0
	}
	r.count[in]++
	return r.count[in]
}

// Forget begins anew: a call waited for news, so that looking again is no loop,
// whatever is looked at.
func (r *Repeats) Forget() { clear(r.count) }

// RepeatNote is what the model reads below a result that it has seen before.
func RepeatNote(n int) string {
	return fmt.Sprintf("\n[same call, same result: number %d in a row; number %d is refused. Use what you have, wait before you look again, or do something else]",
		n, repeatRefuse)
}

// RepeatRefusal is the result of a call that was not run any more.
func RepeatRefusal(tool string) string {
	return fmt.Sprintf("refused: %s with these arguments gave the same result %d times, so it was not run again; answer with what you have",
		tool, repeatRefuse-1)
}
