package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHarmlessLines holds that a terminal gets nothing to act on, wherever the
// stream is cut, and that no line is lost.
func TestHarmlessLines(t *testing.T) {
	const text = "{\"subject\":\"rm \u202egpj.x \u009b2J grüße\"}\n{\"seq\":2}\nno end \u009b"
	const want = `{"subject":"rm \u202egpj.x \u009b2J grüße"}` + "\n" + `{"seq":2}` + "\n" + `no end \u009b`
	for n := 1; n < len(text); n++ {
		var b bytes.Buffer
		h := &harmlessLines{w: &b}
		for rest := []byte(text); len(rest) > 0; {
			k := min(n, len(rest))
			if m, err := h.Write(rest[:k]); m != k || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[k:]
		}
		if err := h.flush(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, b.String()); d != "" {
			t.Fatalf("in pieces of %d bytes: %s", n, d)
		}
	}
}
