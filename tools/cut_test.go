package tools

import (
	"fmt"
	"strings"
	"testing"
)

func numbered(n int) string {
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
		{"exactly the lines", numbered(5), numbered(5), ""},
		{"by lines", numbered(9), "line 1\nline 2\nline 3\n[… cut: 35 of 63 bytes and 5 of 9 lines shown (limit exec.output_lines = 5) …]\nline 8\nline 9\n", "35 of 63 bytes and 5 of 9 lines shown (limit exec.output_lines = 5)"},
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
		diff(t, c.name, []string{shown, cut}, []string{c.want, c.cut})
	}
}

func TestCutterGivesTheSameInPiecesAndKeepsLittle(t *testing.T) {
	text := numbered(50_000)
	want, wantCut := Shorten(text, DefaultLimits())
	for _, size := range []int{1, 7, 4096} {
		c := newCutter(DefaultLimits())
		for at := 0; at < len(text); at += size {
			c.WriteString(text[at:min(at+size, len(text))])
		}
		got, cut := c.Text()
		diff(t, fmt.Sprint(size), []string{got, cut}, []string{want, wantCut})
		if kept := cap(c.head) + cap(c.tail); kept > 6*DefaultLimits().OutputBytes {
			t.Errorf("keeps %d bytes", kept)
		}
	}
	if !strings.HasPrefix(want, "line 1\n") || !strings.HasSuffix(want, "line 50000\n") {
		t.Error("head or tail is missing")
	}
}

func TestCase121_BinaryIsCountedAndSampled(t *testing.T) {
	d := newDoor(t)
	d.launcher.writes = []string{"\x7fELF\x02\x01\x01\x00", strings.Repeat("\x00\xff", 2044)}
	got := d.call(t, "exec", `{"argv":["head","-c","4096","/bin/ls"]}`)
	diff(t, "text", got.Text, "binary, 4096 bytes, starting 7f 45 4c 46 02 01 01 00 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff …\n[exit 0, cwd "+d.dir+"]")
}

func TestCase122_ColourIsStrippedAcrossReads(t *testing.T) {
	d := newDoor(t)
	d.launcher.writes = []string{"\x1b[3", "1mRED\x1b[0m\n", "caf\xc3", "\xa9 \xff\n"}
	got := d.call(t, "exec", `{"argv":["true"]}`)
	diff(t, "text", got.Text, "RED\ncafé \uFFFD\n[exit 0, cwd "+d.dir+"]\n[1 bytes were no UTF-8 and are shown as \uFFFD]")
	d.launcher.writes = []string{"caf\xc3"} // ends within a character
	diff(t, "half a character", d.call(t, "exec", `{"argv":["true"]}`).Text, "caf\uFFFD\n[exit 0, cwd "+d.dir+"]\n[1 bytes were no UTF-8 and are shown as \uFFFD]")
	d.launcher.writes = nil
	for range 2000 {
		d.launcher.writes = append(d.launcher.writes, "\x1b[32mgreen line\x1b[0m\n")
	}
	got = d.call(t, "exec", `{"argv":["true"]}`)
	diff(t, "cut", got.Cut, "2200 of 22000 bytes and 200 of 2000 lines shown (limit exec.output_lines = 200)")
	if strings.Contains(got.Text, "\x1b") || len(got.Text) > 2500 {
		t.Errorf("%d bytes: %.200q", len(got.Text), got.Text)
	}
}
