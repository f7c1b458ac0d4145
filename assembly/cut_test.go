package assembly

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var runes = rapid.SampledFrom([]rune{'a', 'b', '\n', ' ', 'ä', '語', '😀', '́'})

func TestCutProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(runes, 0, 600).Draw(t, "text"))
		b := budget{rapid.IntRange(-5, 500).Draw(t, "chars"), rapid.IntRange(-5, 900).Draw(t, "bytes")}
		if rapid.Bool().Draw(t, "no bytes limit") {
			b.bytes = unbounded
		}
		mark := func(c cutText) string { return fmt.Sprintf("\n[%d+%d]\n", len(c.head), len(c.tail)) }
		c, whole, ok := cut(text, b, mark)
		if c.head+c.out+c.tail != text {
			t.Fatalf("%q + %q + %q is not the text", c.head, c.out, c.tail)
		}
		for _, s := range []string{c.head, c.out, c.tail, whole} {
			if !utf8.ValidString(s) {
				t.Fatalf("a character is split: %q", s)
			}
		}
		if kept, out := utf8.RuneCountInString(c.head)+utf8.RuneCountInString(c.tail), utf8.RuneCountInString(c.out); kept+out != utf8.RuneCountInString(text) {
			t.Fatalf("%d kept and %d cut do not add up", kept, out)
		}
		if !ok {
			return
		}
		if !b.holds(whole) {
			t.Fatalf("%d characters in %d bytes exceed %+v", utf8.RuneCountInString(whole), len(whole), b)
		}
		if whole != c.head+mark(c)+c.tail {
			t.Fatalf("the mark is not where the text was cut: %q", whole)
		}
	})
}

func TestCutShares(t *testing.T) {
	mark := func(cutText) string { return "[mark]" }
	for _, c := range []struct {
		limit, head, tail int
		ok                bool
	}{
		{1000, 700, 200, true},
		{100, 70, 20, true},
		{64, 44, 12, true}, // 64 - 44 - 12 leaves 8 for the mark of 6
		{63, 0, 0, false},
	} {
		got, _, ok := cut(strings.Repeat("ä", 5000), budget{c.limit, unbounded}, mark)
		if ok != c.ok || ok && (utf8.RuneCountInString(got.head) != c.head || utf8.RuneCountInString(got.tail) != c.tail) {
			t.Errorf("limit %d: %v, head %d, tail %d; want %v, %d, %d", c.limit, ok, utf8.RuneCountInString(got.head), utf8.RuneCountInString(got.tail), c.ok, c.head, c.tail)
		}
	}
	// A mark that is longer than a tenth is paid for by head and tail alike.
	long := func(cutText) string { return strings.Repeat("m", 100) }
	got, whole, ok := cut(strings.Repeat("x", 5000), budget{280, unbounded}, long)
	if !ok || len(got.head) != 140 || len(got.tail) != 40 || len(whole) != 280 {
		t.Errorf("%v: head %d, tail %d, whole %d", ok, len(got.head), len(got.tail), len(whole))
	}
}

func TestManyHeadingsLost(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "## Rule %d\ntext of the rule\n#no heading\n", i)
	}
	p := render(t, within(Budget{File: 7000}, File{Name: "AGENTS.md", Data: []byte(b.String())}))
	note := partOf(t, p, "file", "AGENTS.md").Note
	if !strings.HasSuffix(note, " more") || strings.Count(note, "## Rule") != 5 || strings.Contains(note, "#no") {
		t.Errorf("note %q", note)
	}
}

// TestBudgetHolds at its very ends, in characters and in bytes.
func TestBudgetHolds(t *testing.T) {
	const text = "ääää" // four characters in eight bytes
	for b, want := range map[budget]bool{
		{4, 8}: true, {4, 7}: false, {3, 8}: false, {8, 8}: true, {9, 7}: false, {4, unbounded}: true, {unbounded, 8}: true, {unbounded, 7}: false, {}: false,
	} {
		if got := b.holds(text); got != want {
			t.Errorf("%+v: %v", b, got)
		}
	}
	for b, want := range map[budget]bool{{smallest, smallest}: false, {smallest - 1, smallest}: true, {smallest, smallest - 1}: true, {unbounded, smallest}: false} {
		if got := b.isSmall(); got != want {
			t.Errorf("small %+v: %v", b, got)
		}
	}
}
