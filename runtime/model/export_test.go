package model

// What the tests from outside look at.
const (
	UsualFirstByte = usualFirstByte
	UsualIdle      = usualIdle
	PhaseReading   = phaseReading
)

// NumCtx is what the examples show.
func NumCtx(i Info, want int, memory int64) int { return numCtx(i, want, memory) }

// Busy names the request in flight; false when the lane is free.
func (l *Lane) Busy() (label string, busy bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.busy, l.held
}
