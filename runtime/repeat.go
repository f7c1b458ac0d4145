package runtime

import (
	"crypto/sha256"
	"fmt"
)

// The same call with the same result is told to the model at the third time and
// refused from the sixth on.
const (
	repeatWarn   = 3
	repeatRefuse = 6
)

// repeats counts calls of a turn that bring nothing new: same tool, same
// effective input, same result. A poll that sees another result starts anew, so
// that honest waiting is no loop.
type repeats struct {
	last  map[[32]byte][32]byte // input → result it gave last
	count map[[32]byte]int      // input → how often in a row with that result
}

func newRepeats() *repeats {
	return &repeats{last: map[[32]byte][32]byte{}, count: map[[32]byte]int{}}
}

// input is the identity of a call: its tool and its effective arguments.
func (*repeats) input(tool string, args []byte) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%d %s\n%s", len(tool), tool, args))
}

// blocked reports whether a call has brought the same result so often that it
// must not run again.
func (r *repeats) blocked(in [32]byte) bool { return r.count[in] >= repeatRefuse-1 }

// saw records a result and returns how often it has now come in a row.
func (r *repeats) saw(in [32]byte, result string) int {
	out := sha256.Sum256([]byte(result))
	if r.last[in] != out || r.count[in] == 0 {
		r.last[in], r.count[in] = out, 0
	}
	r.count[in]++
	return r.count[in]
}

// forget begins anew: a call waited for news, so that looking again is no loop,
// whatever is looked at.
func (r *repeats) forget() { clear(r.count) }

// repeatNote is what the model reads below a result that it has seen before.
func repeatNote(n int) string {
	return fmt.Sprintf("\n[same call, same result: number %d in a row; number %d is refused. Use what you have, wait before you look again, or do something else]",
		n, repeatRefuse)
}

// repeatRefusal is the result of a call that was not run any more.
func repeatRefusal(tool string) string {
	return fmt.Sprintf("refused: %s with these arguments gave the same result %d times, so it was not run again; answer with what you have",
		tool, repeatRefuse-1)
}
