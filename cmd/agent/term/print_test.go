package term

import (
	"bytes"
	"strings"
	"testing"

	"hardshell/runtime/event"

	"github.com/google/go-cmp/cmp"
)

// Numbers stand below each other by their last digit, words by their first letter.
func TestTable(t *testing.T) {
	var out strings.Builder
	Table(&out, [][]string{
		{"PART", "BYTES", "TOOK", "REUSED", "NOTE"},
		{"größe", "7", "4 ms", "unknown", ""},
		{"b", "1234", "12 ms", "5", "3 of 4\ncut"},
	})
	want := `PART   BYTES   TOOK   REUSED  NOTE
größe      7   4 ms  unknown
b       1234  12 ms        5  3 of 4 cut
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

func TestAListWithoutEntriesSaysSo(t *testing.T) {
	var out, errs strings.Builder
	List(&out, &errs, [][]string{{"ID"}}, "nothing")
	List(&out, &errs, [][]string{{"ID"}, {"a1"}}, "nothing")
	if d := cmp.Diff([]string{"ID\nID\na1\n", "▌ nothing\n"}, []string{out.String(), errs.String()}); d != "" {
		t.Error(d)
	}
}

// TestHarmlessLines holds that a terminal gets nothing to act on, wherever the
// stream is cut, and that no line is lost.
func TestHarmlessLines(t *testing.T) {
	const text = "{\"subject\":\"rm \u202egpj.x \u009b2J grüße\"}\n{\"seq\":2}\nno end \u009b"
	const want = `{"subject":"rm \u202egpj.x \u009b2J grüße"}` + "\n" + `{"seq":2}` + "\n" + `no end \u009b`
	for n := 1; n < len(text); n++ {
		var b bytes.Buffer
		h := &HarmlessLines{w: &b}
		for rest := []byte(text); len(rest) > 0; {
			k := min(n, len(rest))
			if m, err := h.Write(rest[:k]); m != k || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[k:]
		}
		if err := h.Flush(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, b.String()); d != "" {
			t.Fatalf("in pieces of %d bytes: %s", n, d)
		}
	}
}

func TestReportKeepsTwoLines(t *testing.T) {
	var out, err bytes.Buffer
	Report(event.Problem{Code: "c", Message: "it broke\x1b[2J\n", Hint: "mend it"}, false, &out, &err)
	if d := cmp.Diff([]string{"", "agent: it broke\ntry: mend it\n"}, []string{out.String(), err.String()}); d != "" {
		t.Error(d)
	}
	out.Reset()
	Report(event.Problem{Code: "c", Message: "it \u009b broke", Hint: "\u202emend"}, true, &out, &err)
	if d := cmp.Diff(`{"error":{"code":"c","message":"it \u009b broke","hint":"\u202emend"}}`+"\n", out.String()); d != "" {
		t.Error(d)
	}
}
