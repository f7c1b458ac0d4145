package assembly

import (
	"strings"
	"testing"
)

// BenchmarkRender is the price of a turn: "small" is the lab fixture, "full"
// every section with the files at their default limits.
func BenchmarkRender(b *testing.B) {
	full := everything()
	full.Limits.Window = 131_072
	full.Files = nil
	for _, name := range WorkspaceFiles() {
		full.Files = append(full.Files, File{Name: name, Data: []byte(chars(23_000, "END"))})
	}
	for _, c := range []struct {
		name string
		in   Input
	}{{"small", lab()}, {"full", full}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				render(b, c.in)
			}
		})
	}
	b.Run("turn", func(b *testing.B) {
		in := full
		in.Turn = turns()[1]
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := RenderTurn(in); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The runtime's own cost is to stay under a millisecond a turn. Allocations are
// counted rather than time, so that a busy machine cannot fail the test.
func TestRenderAllocatesLittle(t *testing.T) {
	in := lab()
	in.Files = []File{{Name: "AGENTS.md", Data: []byte(strings.Repeat("rule\n", 500))}}
	if n := testing.AllocsPerRun(20, func() { render(t, in) }); n > 400 {
		t.Errorf("%.0f allocations, at most 400 are to be spent", n)
	}
}
