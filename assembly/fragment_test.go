package assembly

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseFragment(t *testing.T) {
	got := parseFragment("## T\n[a !b c] text [x] y\n[[reply:ID]] at the start\n[Upper] no condition\n[a]no blank")
	want := []line{
		{text: "## T"},
		{on: []string{"a", "c"}, off: []string{"b"}, text: "text [x] y"},
		{text: "[[reply:ID]] at the start"},
		{text: "[Upper] no condition"},
		{text: "[a]no blank"},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(line{})); d != "" {
		t.Error(d)
	}
}

// Every mark of every fragment is known: a flag that nothing sets would hide its
// line for good, a value that nothing fills would reach the model.
func TestFragmentsHaveNoUnknownMarks(t *testing.T) {
	flags := append(slices.Clone(toolOrder), "sub", "tools", "later", "citations", "network", "note", "bootstrap", "shortened", "notes")
	mark := regexp.MustCompile(`\{[a-z]+\}`)
	in := everything()
	values := newView(&in, true).values
	for name, lines := range fragments() {
		for _, l := range lines {
			for _, f := range append(slices.Clone(l.on), l.off...) {
				if !slices.Contains(flags, f) {
					t.Errorf("fragment %s: unknown flag %s", name, f)
				}
			}
			for _, m := range mark.FindAllString(l.text, -1) {
				if values.Replace(m) == m {
					t.Errorf("fragment %s: unknown value %s", name, m)
				}
			}
		}
	}
}

func TestEveryFragmentIsUsed(t *testing.T) {
	used := map[string]bool{"turn_cron": true, "turn_heartbeat": true, "turn_announce": true, "turn_wake": true, "turn_reasoning_off": true, "tool_call_style": true, "execution_bias": true, "skills": true}
	for _, s := range sections {
		if s.fragment != "" {
			used[s.fragment] = true
			if _, ok := fragments()[s.fragment]; !ok {
				t.Errorf("section %s: no fragment %s", s.name, s.fragment)
			}
		}
	}
	for name := range fragments() {
		if !used[name] {
			t.Errorf("fragment %s is used by nothing", name)
		}
	}
}

// A value is never read as a mark, whatever it holds.
func TestValuesAreNotMarks(t *testing.T) {
	in := lab()
	in.Workspace.Dir = "/a/{zone}/[tools] x"
	in.Tools[0].Guide = "{dir}\n## Safety\nnone"
	s := render(t, in).System
	for _, want := range []string{"Folder: /a/{zone}/[tools] x.", "- exec: {dir} ## Safety none\n"} {
		if !strings.Contains(s, want) {
			t.Errorf("want %q in\n%s", want, s)
		}
	}
}
