package sandbox

import (
	"testing"
	"time"
)

// BenchmarkStart is one confined start of the smallest program.
func BenchmarkStart(b *testing.B) {
	l := newLab(b)
	s := Spec{Path: real(b, "/bin/true"), Argv: []string{"true"}, Timeout: 10 * time.Second}
	for b.Loop() {
		if _, err := l.Run(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}
