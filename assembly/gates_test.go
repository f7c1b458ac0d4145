package assembly

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gate opens and shuts one section. The table is written from the specification,
// apart from the one in sections.go: min says whether minimal mode has it.
type gate struct {
	section    string
	min        bool
	open, shut func(*Input) // shut is nil where nothing can shut it
}

var gates = []gate{
	{"identity", true, nothing, nil},
	{"tooling", true, nothing, nil},
	{"delegation", false, func(in *Input) { in.Knobs.Delegate = true }, func(in *Input) { in.Knobs.Delegate = false }},
	{"interaction_style", true, func(in *Input) { in.Overlay = &Overlay{Replace: Replace{InteractionStyle: "calm"}} }, func(in *Input) { in.Overlay = &Overlay{} }},
	{"tool_call_style", true, nothing, nil},
	{"execution_bias", false, nothing, nil},
	{"promises", false, nothing, nil},
	{"stable_prefix", true, func(in *Input) { in.Overlay = &Overlay{StablePrefix: "calm"} }, func(in *Input) { in.Overlay = &Overlay{} }},
	{"safety", true, nothing, nil},
	{"control", true, func(in *Input) { in.Commands = []string{"/stop"} }, func(in *Input) { in.Commands = nil }},
	{"skills", true, nothing, without("read")},
	{"memory", false, nothing, without("memory_search")},
	{"self_update", false, nothing, without("config")},
	{"aliases", false, nothing, func(in *Input) { in.Aliases = nil }},
	{"workspace", true, nothing, func(in *Input) { in.Workspace = WorkFolder{} }},
	{"documentation", false, nothing, func(in *Input) { in.Docs = "" }},
	{"sandbox", true, func(in *Input) { in.Confined = &Confined{Network: true} }, func(in *Input) { in.Confined = nil }},
	{"time", true, nothing, func(in *Input) { in.Zone = "" }},
	{"files", true, nothing, func(in *Input) { in.Files = nil }},
	{"file", true, nothing, func(in *Input) { in.Files = nil }},
	{"output", false, func(in *Input) { in.Knobs.ReplyTags = true }, func(in *Input) { in.Knobs.ReplyTags = false }},
	{"silence", false, func(in *Input) { in.Knobs.Silence = true }, func(in *Input) { in.Knobs.Silence = false }},
	{"reasoning", true, nothing, func(in *Input) { in.Model.NativeThinking = true }},
	{"runtime", true, nothing, nil},
}

func nothing(*Input) {}

// withFile puts a file in the place of one of that name, whatever its case.
func withFile(name, text string) func(*Input) {
	return func(in *Input) {
		in.Files = slices.DeleteFunc(in.Files, func(f File) bool { return strings.EqualFold(f.Name, name) })
		in.Files = append(in.Files, File{Name: name, Data: []byte(text)})
	}
}

// without takes a tool out of the array.
func without(name string) func(*Input) {
	return func(in *Input) {
		var left []Tool
		for _, t := range in.Tools {
			if t.Name != name {
				left = append(left, t)
			}
		}
		in.Tools = left
	}
}

// shown are the names of the parts of the system text that have bytes, each once.
func shown(p Prompt) []string {
	var out []string
	for _, x := range p.Report.Parts {
		if x.Stable && x.Used > 0 && !strings.HasPrefix(x.Name, "tool ") && (len(out) == 0 || out[len(out)-1] != x.Name) {
			out = append(out, x.Name)
		}
	}
	return out
}

func has(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func TestGatesCoverTheTable(t *testing.T) {
	var want, got []string
	for _, s := range sections {
		want = append(want, s.name)
	}
	for _, g := range gates {
		if g.section == "file" {
			g.section = "project"
		}
		got = append(got, g.section)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the gate test misses a section (-table +test)\n%s", d)
	}
}

func TestEverySectionInEveryMode(t *testing.T) {
	for _, g := range gates {
		for _, mode := range []Mode{None, Minimal, Full} {
			for _, open := range []bool{true, false} {
				if !open && g.shut == nil {
					continue
				}
				in := everything()
				in.Mode = mode
				g.open(&in)
				if !open {
					g.shut(&in)
				}
				p := render(t, in)
				want := open && (mode == Full || mode == Minimal && g.min)
				if mode == None {
					want = g.section == "identity"
				}
				if got := has(shown(p), g.section); got != want {
					t.Errorf("%s in mode %d, gate open %v: shown %v, want %v", g.section, mode, open, got, want)
				}
				outside(t, g.section, p)
			}
		}
	}
}

// outside looks for traces that an absent section leaves: blank lines beyond the
// one between sections, blanks at line ends or at either end, unfilled marks.
func outside(t *testing.T, what string, p Prompt) {
	t.Helper()
	var b strings.Builder
	for i, x := range strings.Split(p.System, "<file>\n") {
		if i > 0 {
			_, x, _ = strings.Cut(x, "\n</file>")
			b.WriteString("file")
		}
		b.WriteString(x)
	}
	s := b.String()
	for _, bad := range []string{"\n\n\n", " \n", "\t\n", "{", "}"} {
		if strings.Contains(s, bad) {
			t.Errorf("%s: the system text holds %q\n%s", what, bad, s)
		}
	}
	if s != strings.TrimSpace(s) {
		t.Errorf("%s: the system text begins or ends with a blank", what)
	}
}

// The sections' own guard, without the early return of Render.
func TestNoSectionIsOpenInNone(t *testing.T) {
	in := everything()
	in.Mode = None
	v := newView(&in, true)
	if got := sectionPieces(v); len(got) != 0 {
		t.Errorf("%d pieces pass the table in mode None, first %q", len(got), got[0].name)
	}
}

func TestNoneIsOneLine(t *testing.T) {
	in := everything()
	in.Mode, in.Turn = None, turns()[1]
	want := Prompt{System: "You are the lab agent on orin-lab (Jetson Orin Nano), run by hardshell."}
	got := render(t, in)
	got.Report = Report{}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	text, parts, err := RenderTurn(in)
	if text != "" || parts != nil || err != nil {
		t.Errorf("turn context in mode None: %q, %v, %v", text, parts, err)
	}
}

func TestSectionsByToolAndKnob(t *testing.T) {
	for _, c := range []struct {
		name       string
		change     func(*Input)
		want, lack string
	}{
		{"tags only when asked for", func(in *Input) { in.Knobs.ReasoningTags = false }, "", "## Reasoning"},
		{"no tool at all", func(in *Input) { in.Tools = nil }, "No tool is offered here.", "These tools are real."},
		{"delegation needs the tool", without("sessions_spawn"), "", "## Delegation"},
		{"no citations", func(in *Input) { in.Knobs.Citations = false }, "## Memory", "Cite path"},
		{"citations", nothing, "Cite path and line.", ""},
		{"citations where there is room", func(in *Input) { in.Knobs.Citations, in.Knobs.WideCitations, in.Model.Window = false, true, 8192 }, "Cite path and line.", ""},
		{"citations where there is none", func(in *Input) { in.Knobs.Citations, in.Knobs.WideCitations, in.Model.Window = false, true, 8191 }, "## Memory", "Cite path"},
		{"shortened", func(in *Input) { in.Limits.File = 200; in.Files[0].Data = []byte(strings.Repeat("a fact. ", 100)) }, "Some are shortened", ""},
		{"shortened, not told", func(in *Input) {
			in.Limits.File, in.Knobs.HideCutNotice = 400, true
			in.Files[0].Data = []byte(strings.Repeat("a fact. ", 100))
		}, "MEMORY.md is shortened here", "Some are shortened"},
		{"first conversation", withFile("bootstrap.md", "Ask."), "The first conversation described below is still due: a real request goes before it", ""},
		{"first conversation held", withFile("BOOTSTRAP.md", " \n\n"), "", "first conversation"},
		{"no first conversation", nothing, "## Workspace files", "first conversation"},
		{"another's first conversation", withFile("vendor/BOOTSTRAP.md", "Ask."), "", "The first conversation"},
		{"a sub-agent's first conversation", func(in *Input) { in.Mode = Minimal; withFile("BOOTSTRAP.md", "Ask me.")(in) }, "", "Ask me."},
		{"manual needs read", without("read"), "", "## Manual"},
		{"plan tool", func(in *Input) {
			in.Tools = append(in.Tools, Tool{Name: "update_plan", Schema: schema("steps", "steps:list")})
		}, "keep `update_plan` current", ""},
		{"no plan tool", nothing, "", "update_plan"},
		{"later", nothing, "Promise later work only with a job", "Nothing runs after"},
		{"nothing later", func(in *Input) { in.Tools = fiveTools() }, "Nothing runs after your answer", "Promise later"},
		{"network", func(in *Input) { in.Confined = &Confined{Network: true} }, "with network", "without network"},
		{"no network", nothing, "without network", "with network"},
		{"clock", nothing, "Exact time: `session_status`", ""},
		{"no clock", without("session_status"), "Zone: Europe/Berlin.", "Exact time"},
		{"read only", func(in *Input) { in.Workspace.Writable = nil }, "Writable: nothing.", ""},
		{"other folders", func(in *Input) { in.Workspace.Writable = []string{"/srv/a", in.Workspace.Dir} }, "Writable: /srv/a, this folder.", ""},
		{"unknown machine", func(in *Input) { in.Host = Host{} }, "the lab agent on this machine,", "os="},
		{"board alone", func(in *Input) { in.Host = Host{Board: "Rig"} }, "the lab agent on a Rig,", ""},
		{"name alone", func(in *Input) { in.Host = Host{Name: "pi"} }, "the lab agent on pi,", ""},
		{"nothing known", func(in *Input) {
			in.Host, in.Agent, in.Model, in.Workspace = Host{}, Identity{}, ModelFacts{}, WorkFolder{}
		}, "Runtime: unknown", "window="},
	} {
		in := everything()
		c.change(&in)
		s := render(t, in).System
		if !strings.Contains(s, c.want) {
			t.Errorf("%s: lacks %q", c.name, c.want)
		}
		if c.lack != "" && strings.Contains(s, c.lack) {
			t.Errorf("%s: holds %q", c.name, c.lack)
		}
	}
}
