package assembly

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOverlayFor(t *testing.T) {
	for _, c := range []struct{ name, family, want string }{
		{"qwen3:4b", "qwen3", "qwen"},
		{"lab:latest", "qwen3moe", "qwen"},
		{"qwq:32b", "qwen2", "qwen"},
		{"llama3.2:3b", "llama", "llama"},
		{"smollm2:135m", "llama", "smollm"},
		{"SmolLM2-135M", "llama", "smollm"},
		{"gemma3:4b", "gemma3", "gemma"},
		{"functiongemma:270m", "gemma3", "functiongemma"},
		{"granite4:3b", "granite", "granite"},
		{"granite3.1-moe", "granitemoe", "granite"},
		{"gpt-oss:20b", "gptoss", "gpt-oss"},
		{"mine", "gptoss", "gpt-oss"},
		{"phi4-mini", "phi3", "default"},
		{"", "", "default"},
	} {
		if got := overlayFor(c.name, c.family).Family; got != c.want {
			t.Errorf("OverlayFor(%q, %q) is %q, want %q", c.name, c.family, got, c.want)
		}
	}
}

// An overlay is small, replaces a section by one with the same heading, and
// every family of the table has one.
func TestShippedOverlays(t *testing.T) {
	for _, f := range families {
		if _, ok := overlays()[f.overlay]; !ok {
			t.Errorf("no overlay %s", f.overlay)
		}
	}
	if d := cmp.Diff(Overlay{Family: "default"}, overlays()["default"]); d != "" {
		t.Errorf("the default overlay says something: %s", d)
	}
	for name, o := range overlays() {
		all := o.StablePrefix + o.DynamicSuffix + o.Replace.InteractionStyle + o.Replace.ToolCallStyle + o.Replace.ExecutionBias
		if len(all) > 400 {
			t.Errorf("%s has %d bytes, at most 400 are to be spent on a family", name, len(all))
		}
		if name != "default" && all == "" {
			t.Errorf("%s is empty", name)
		}
		for _, r := range []struct{ text, heading string }{
			{o.Replace.InteractionStyle, "## Style\n"}, {o.Replace.ToolCallStyle, "## Calling tools\n"}, {o.Replace.ExecutionBias, "## Working\n"},
		} {
			if r.text != "" && !strings.HasPrefix(r.text, r.heading) {
				t.Errorf("%s replaces %q by %q", name, r.heading, r.text)
			}
		}
		if b := o.Replace.ExecutionBias; b != "" && !strings.Contains(b, "Never say done before a result shows it.") {
			t.Errorf("%s drops the rule to verify", name)
		}
		in := bare(lab())
		in.Overlay = &o
		if n := len(render(t, in).System); n > 2200 {
			t.Errorf("with overlay %s the system text has %d bytes", name, n)
		}
	}
}

func TestOverlayReplacesOnlyItsSections(t *testing.T) {
	in := bare(everything())
	in.Overlay = &Overlay{}
	plain := render(t, in)
	in.Overlay = &Overlay{Family: "x", StablePrefix: "P\n\n\n\n\nQ", Replace: Replace{"I", "T", "E"}}
	tuned := render(t, in)
	want := map[string]string{"interaction_style": "I", "tool_call_style": "T", "execution_bias": "E", "stable_prefix": "P\n\n\nQ"}
	at := 0
	for _, part := range tuned.Report.Parts {
		if !part.Stable || strings.HasPrefix(part.Name, "tool ") {
			continue
		}
		got := strings.TrimPrefix(tuned.System[at:at+part.Used], "\n\n")
		at += part.Used
		if text, ours := want[part.Name]; ours {
			if got != text || part.Source != "overlay x" {
				t.Errorf("%s is %q from %q, want %q", part.Name, got, part.Source, text)
			}
			continue
		}
		if d := cmp.Diff(partOf(t, plain, part.Name, part.Source), part); d != "" {
			t.Errorf("the overlay changed %s: %s", part.Name, d)
		}
	}
}

func TestUnknownOverlayPartIsRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an overlay file with an unknown part is taken")
		}
	}()
	parseOverlay("x", "# safety\nno rules")
}
