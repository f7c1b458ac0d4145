package assembly

import (
	"slices"
	"strings"
)

// modes is a set of modes. None is in no section's set: the identity line alone
// is rendered before the table is asked.
type modes uint8

const (
	full       modes = 1 << Full
	everywhere modes = 1<<Full | 1<<Minimal
)

// has reports whether a mode is in the set.
func (m modes) has(mode Mode) bool { return mode != None && m&(1<<mode) != 0 }

// section is one row of the table: under which condition and in which modes a
// fragment stands.
type section struct {
	name     string
	gate     func(*view) bool
	modes    modes
	fragment string
	// body renders what is not one fragment; it wins over fragment.
	body func(*view) []piece
}

// sections is the system text, in order.
var sections = []section{
	{"identity", always, everywhere, "identity", nil},
	{"tooling", always, everywhere, "tooling", nil},
	{"delegation", delegates, full, "delegation", nil},
	{"interaction_style", always, everywhere, "", overlaid(func(o Overlay) string { return o.Replace.InteractionStyle }, "")},
	{"tool_call_style", always, everywhere, "", overlaid(func(o Overlay) string { return o.Replace.ToolCallStyle }, "tool_call_style")},
	{"execution_bias", always, full, "", overlaid(func(o Overlay) string { return o.Replace.ExecutionBias }, "execution_bias")},
	{"promises", always, full, "promises", nil},
	{"stable_prefix", always, everywhere, "", overlaid(func(o Overlay) string { return o.StablePrefix }, "")},
	{"safety", always, everywhere, "safety", nil},
	{"control", func(v *view) bool { return len(v.in.Commands) > 0 }, everywhere, "control", nil},
	{"skills", listsSkills, everywhere, "", skillSection},
	{"memory", tool("memory_search"), full, "memory", nil},
	{"self_update", tool("config"), full, "self_update", nil},
	{"aliases", func(v *view) bool { return len(v.in.Aliases) > 0 }, full, "aliases", nil},
	{"workspace", func(v *view) bool { return v.in.Workspace.Dir != "" }, everywhere, "workspace", nil},
	{"documentation", func(v *view) bool { return v.in.Docs != "" && v.in.offers("read") }, full, "documentation", nil},
	{"sandbox", func(v *view) bool { return v.in.Confined != nil }, everywhere, "sandbox", nil},
	{"time", func(v *view) bool { return v.in.Zone != "" }, everywhere, "time", nil},
	{"files", hasFiles, everywhere, "files", nil},
	{"project", func(v *view) bool { return len(v.files) > 0 }, everywhere, "", func(v *view) []piece { return v.files }},
	{"output", func(v *view) bool { return v.in.Knobs.ReplyTags }, full, "output", nil},
	{"silence", func(v *view) bool { return v.in.Knobs.Silence }, full, "silence", nil},
	{"reasoning", asksForTags, everywhere, "reasoning", nil},
	{"runtime", always, everywhere, "runtime", nil},
}

// render gives the section's pieces.
func (s section) render(v *view) []piece {
	if s.body == nil {
		return []piece{{name: s.name, text: v.fill(s.fragment)}}
	}
	out := s.body(v)
	for i := range out {
		if out[i].name == "" {
			out[i].name = s.name
		}
	}
	return out
}

// always is the gate of a section that is never left out in its modes.
func always(*view) bool { return true }

// tool is the gate of a section that belongs to a tool.
func tool(name string) func(*view) bool {
	return func(v *view) bool { return v.in.offers(name) }
}

// delegates: the mode asks for it and there is somebody to delegate to.
func delegates(v *view) bool { return v.in.Knobs.Delegate && v.in.offers("sessions_spawn") }

// listsSkills: a list without the tool that loads a skill would be of no use.
func listsSkills(v *view) bool { return v.skills.text != "" && v.in.offers("read") }

// hasFiles: something of the project context is shown.
func hasFiles(v *view) bool {
	for _, f := range v.files {
		if f.text != "" {
			return true
		}
	}
	return false
}

// asksForTags: only a model without native thinking needs them.
func asksForTags(v *view) bool { return v.in.Knobs.ReasoningTags && !v.in.Model.NativeThinking }

// overlaid renders an overlay's text, or our fragment where it has none.
func overlaid(pick func(Overlay) string, fragment string) func(*view) []piece {
	return func(v *view) []piece {
		if text := strings.TrimSpace(fold(pick(v.overlay))); text != "" {
			return []piece{{source: "overlay " + v.overlay.Family, text: text}}
		}
		if fragment == "" {
			return nil
		}
		return []piece{{text: v.fill(fragment)}}
	}
}

// skillSection puts the list into its section and keeps what was cut on record.
func skillSection(v *view) []piece {
	p := v.skills
	p.name, p.text = "", v.fill("skills")
	return []piece{p}
}

// allFlags are the flags that are on for fragments.
func (v *view) allFlags() []string {
	in := v.in
	var on []string
	for _, t := range v.tools {
		on = append(on, t.Name)
	}
	knobs := []struct {
		name string
		on   bool
	}{
		{"sub", in.Mode == Minimal},
		{"tools", len(in.Tools) > 0},
		{"later", in.offers("cron") || in.offers("process")},
		{"citations", in.Knobs.Citations || in.Knobs.WideCitations && in.Model.Window >= wideWindow},
		{"network", in.Confined != nil && in.Confined.Network},
		{"note", in.Confined != nil && in.Confined.Note != ""},
		{"bootstrap", v.hasFile("bootstrap.md")},
		{"shortened", v.shortened() && !in.Knobs.HideCutNotice},
		{"notes", v.hasNotes()},
	}
	for _, k := range knobs {
		if k.on {
			on = append(on, k.name)
		}
	}
	return on
}

// hasFile reports whether something of a file, by its lower-case name, is shown.
func (v *view) hasFile(name string) bool {
	return slices.ContainsFunc(v.files, func(f piece) bool { return f.text != "" && strings.ToLower(f.source) == name })
}

// shortened reports whether any file is not whole in the prompt.
func (v *view) shortened() bool {
	for _, f := range v.files {
		if f.cut {
			return true
		}
	}
	return false
}

// allValues are the values that fragments name.
func (v *view) allValues() *strings.Replacer {
	in := v.in
	note := ""
	if in.Confined != nil {
		note = oneLine(in.Confined.Note)
	}
	return strings.NewReplacer(
		"{where}", where(in.Host),
		"{tools}", toolLines(v.tools),
		"{commands}", list(in.Commands),
		"{skills}", v.skills.text,
		"{aliases}", aliasLine(in.Aliases),
		"{dir}", oneLine(in.Workspace.Dir),
		"{writable}", writable(in.Workspace),
		"{docs}", oneLine(in.Docs),
		"{note}", note,
		"{zone}", oneLine(in.Zone),
		"{runtime}", runtimeLine(in),
		"{job}", orWord(oneLine(in.Turn.Job), "a job"),
		"{child}", orWord(oneLine(in.Turn.Event.From), "without a name"),
		"{waker}", orWord(oneLine(in.Turn.Event.From), "an event"),
		"{outcome}", orWord(oneLine(in.Turn.Event.Outcome), "outcome unknown"),
	)
}
