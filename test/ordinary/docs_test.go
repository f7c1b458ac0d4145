package ordinary

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManualCountsTheRows holds the figures of docs/policy.md against the table.
func TestManualCountsTheRows(t *testing.T) {
	counts, all := map[string]int{}, rows(t)
	for _, r := range all {
		counts[r.verdict]++
	}
	want := fmt.Sprintf("Of %d commands of ordinary lab work, %d run at once, %d after a person's yes, and %d are refused", len(all), counts["runs"], counts["asks"], counts["refused"])
	manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "policy.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(manual), want) {
		t.Errorf("docs/policy.md does not say: %s", want)
	}
}

// TestRowsSayWhatHelps holds that no command stands in the table twice and that each
// refusal names the words of its hint.
func TestRowsSayWhatHelps(t *testing.T) {
	seen := map[string]int{}
	for _, r := range rows(t) {
		key := r.command + r.before
		if before := seen[key]; before != 0 {
			t.Errorf("%s: the same as line %d", r, before)
		}
		seen[key] = r.line
		if r.verdict == "refused" && len(r.shows) == 0 {
			t.Errorf("%s: what does the hint say?", r)
		}
	}
}
