package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Numbers stand below each other by their last digit, words by their first letter.
func TestTable(t *testing.T) {
	var out strings.Builder
	table(&out, [][]string{
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
	c := &call{stdout: &out, stderr: &errs}
	c.list([][]string{{"ID"}}, "nothing")
	c.list([][]string{{"ID"}, {"a1"}}, "nothing")
	if d := cmp.Diff([]string{"ID\nID\na1\n", "▌ nothing\n"}, []string{out.String(), errs.String()}); d != "" {
		t.Error(d)
	}
}
