package assembly

import (
	"strings"
	"testing"
)

// granitelike is an overlay as docs/develop.md says to add one: a file in overlays,
// and its words in families.
const granitelike = `# stable_prefix
Answer in the language of the question.

# tool_call_style
Call one tool at a time.
`

// TestOverlayRecipe reads the new overlay and renders a prompt with it.
func TestOverlayRecipe(t *testing.T) {
	o := parseOverlay("granitelike", granitelike)
	in := everything()
	in.Overlay = &o
	p, err := Render(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Answer in the language of the question.", "Call one tool at a time."} {
		if strings.Count(p.System, want) != 1 {
			t.Errorf("the system text holds %q %d times, want once", want, strings.Count(p.System, want))
		}
	}
}
