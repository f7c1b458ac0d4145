package text

import (
	"fmt"
	"strings"
	"testing"
)

func numberedLines(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestShorten(t *testing.T) {
	small := Limits{OutputBytes: 100, OutputLines: 5}
	for _, c := range []struct{ name, in, want, cut string }{
		{"nothing", "", "", ""},
		{"short", "a\nb\n", "a\nb\n", ""},
		{"exactly the lines", numberedLines(5), numberedLines(5), ""},
		{"by lines", numberedLines(9), "line 1\nline 2\nline 3\n[… cut: 35 of 63 bytes and 5 of 9 lines shown (limit exec.output_lines = 5) …]\nline 8\nline 9\n", "35 of 63 bytes and 5 of 9 lines shown (limit exec.output_lines = 5)"},
		{
			"by bytes, whole lines", strings.Repeat(strings.Repeat("x", 19)+"\n", 20),
			strings.Repeat(strings.Repeat("x", 19)+"\n", 3) + "[… cut: 80 of 400 bytes and 4 of 20 lines shown (limit exec.output_bytes = 100) …]\n" + strings.Repeat("x", 19) + "\n",
			"80 of 400 bytes and 4 of 20 lines shown (limit exec.output_bytes = 100)",
		},
		{
			"one line without end", strings.Repeat("é", 200),
			strings.Repeat("é", 30) + "\n[… cut: 100 of 400 bytes and 2 of 1 lines shown (limit exec.output_bytes = 100) …]\n" + strings.Repeat("é", 20),
			"100 of 400 bytes and 2 of 1 lines shown (limit exec.output_bytes = 100)",
		},
	} {
		shown, cut := Shorten(c.in, small)
		same(t, c.name, []string{shown, cut}, []string{c.want, c.cut})
	}
}

func TestCutterGivesTheSameInPiecesAndKeepsLittle(t *testing.T) {
	text := numberedLines(50_000)
	want, wantCut := Shorten(text, usualLimits())
	for _, size := range []int{1, 7, 4096} {
		c := newCutter(usualLimits())
		for at := 0; at < len(text); at += size {
			c.WriteString(text[at:min(at+size, len(text))])
		}
		got, cut := c.Text()
		same(t, fmt.Sprint(size), []string{got, cut}, []string{want, wantCut})
		if kept := cap(c.head) + cap(c.tail); kept > 6*usualLimits().OutputBytes {
			t.Errorf("keeps %d bytes", kept)
		}
	}
	if !strings.HasPrefix(want, "line 1\n") || !strings.HasSuffix(want, "line 50000\n") {
		t.Error("head or tail is missing")
	}
}
