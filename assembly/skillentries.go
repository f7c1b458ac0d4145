package assembly

import "strings"

// SkillEntry is one entry of the skills list in a system text.
type SkillEntry struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// SkillEntries finds the skills list in a system text that Render made, and gives
// its entries in their order. Nothing but the list itself can open with its mark:
// Harmless defuses it everywhere else.
func SkillEntries(system string) []SkillEntry {
	out := []SkillEntry{}
	_, list, ok := strings.Cut(system, "\n<skills>\n")
	if !ok {
		return out
	}
	list, _, _ = strings.Cut(list, "</skills>")
	for line := range strings.Lines(list) {
		name := strings.TrimPrefix(line, "- ")
		if i := strings.IndexAny(name, ": \n"); i >= 0 {
			name = name[:i]
		}
		out = append(out, SkillEntry{Name: name, Bytes: len(line)})
	}
	return out
}
