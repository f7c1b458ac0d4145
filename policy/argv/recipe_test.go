package argv

import (
	"slices"
	"strings"
	"testing"
)

// isColor is the form of a new slot: a colour as #rrggbb.
func isColor(text string) bool {
	hex, ok := strings.CutPrefix(text, "#")
	return ok && len(hex) == 6 && strings.Trim(hex, "0123456789abcdef") == ""
}

// TestSlotRecipe adds a slot as docs/develop.md says, with one line, and matches commands with it.
func TestSlotRecipe(t *testing.T) {
	old := shapes
	defer func() { shapes = old }()
	shapes = append(slices.Clone(shapes), shape{"color", isColor}) // the one line
	sl, err := parseSlot("{color}")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"#ff8000": true, "#ff80": false, "red": false, "-#ff8000": false} {
		if got := sl.accepts(Word{Text: text, Kind: Literal}, false, false); got != want {
			t.Errorf("%s fits: %v, want %v", text, got, want)
		}
	}
	if !sl.accepts(Word{Kind: Several}, false, true) || sl.accepts(Word{Kind: Several}, false, false) {
		t.Error("what isn't known fits an allowing form, or fits no denying one")
	}
	if _, err := parseSlot("{colour}"); err == nil || !strings.Contains(err.Error(), "{color}") && !strings.Contains(err.Error(), "color") {
		t.Errorf("a mistyped slot gives %v", err)
	}
}
