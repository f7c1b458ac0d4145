package assembly

import (
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed overlays/*.md
var overlayFiles embed.FS

// Overlay tunes the prompt for a family of models. It can add two texts and
// replace three sections; it cannot touch Safety, Tools or the project context.
type Overlay struct {
	Family string
	// StablePrefix is a section of the system text, DynamicSuffix a line of the
	// turn context of every turn.
	StablePrefix, DynamicSuffix string
	Replace                     Replace
}

// Replace holds the sections that an overlay may replace; an empty text keeps
// ours.
type Replace struct {
	InteractionStyle, ToolCallStyle, ExecutionBias string
}

// families tells which word in a model's name or family means which overlay. The
// first match wins, so a narrower word stands before the one it contains. The
// name is asked before the family: SmolLM2 and functiongemma are of the families
// llama and gemma3 to the server.
var families = []struct{ word, overlay string }{
	{"functiongemma", "functiongemma"},
	{"gemma", "gemma"},
	{"smollm", "smollm"},
	{"gpt-oss", "gpt-oss"},
	{"gptoss", "gpt-oss"},
	{"granite", "granite"},
	{"qwen", "qwen"},
	{"qwq", "qwen"},
	{"llama", "llama"},
}

// overlays are the shipped overlays by family, parsed once and never changed.
var overlays = sync.OnceValue(func() map[string]Overlay {
	out := map[string]Overlay{}
	for family, text := range embedded(overlayFiles, "overlays") {
		out[family] = parseOverlay(family, text)
	}
	return out
})

// overlayFor picks the shipped overlay of a model by its name and family, the
// default one when neither is known.
func overlayFor(name, family string) Overlay {
	for _, s := range []string{name, family} {
		s = strings.ToLower(s)
		for _, f := range families {
			if strings.Contains(s, f.word) {
				return overlays()[f.overlay]
			}
		}
	}
	return overlays()["default"]
}

// OverlayOf is the shipped overlay of a family by its own name; ok is false for a
// name that Families does not list.
func OverlayOf(family string) (o Overlay, ok bool) {
	o, ok = overlays()[family]
	return o, ok
}

// Families names the shipped overlays, sorted.
func Families() []string { return slices.Sorted(maps.Keys(overlays())) }

// parseOverlay reads an overlay file: one "# part" line before each part. A part
// that we don't know is a fault of the build.
func parseOverlay(family, text string) Overlay {
	o := Overlay{Family: family}
	parts := map[string]*string{
		"stable_prefix":     &o.StablePrefix,
		"dynamic_suffix":    &o.DynamicSuffix,
		"interaction_style": &o.Replace.InteractionStyle,
		"tool_call_style":   &o.Replace.ToolCallStyle,
		"execution_bias":    &o.Replace.ExecutionBias,
	}
	for part := range strings.SplitSeq("\n"+text, "\n# ") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, body, _ := strings.Cut(part, "\n")
		dst := parts[name]
		if dst == nil {
			panic("assembly: overlay " + family + " has an unknown part " + name)
		}
		*dst = strings.TrimSpace(body)
	}
	return o
}
