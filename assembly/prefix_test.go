package assembly

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// failer is what a plain test and a rapid one have in common.
type failer interface{ Fatalf(string, ...any) }

// said is one message of a conversation, as it is stored.
type said struct{ role, text string }

// serialise lays a prompt out as a template does: system, tools, messages.
func serialise(t failer, p Prompt, history []said) string {
	var b strings.Builder
	b.WriteString("<|im_start|>system\n" + p.System + "\n<tools>")
	for _, tool := range p.Tools {
		j, err := toolJSON(tool)
		if err != nil {
			t.Fatalf("%v", err)
		}
		b.WriteString("\n" + string(j))
	}
	b.WriteString("\n</tools><|im_end|>\n")
	for _, m := range history {
		b.WriteString("<|im_start|>" + m.role + "\n" + m.text + "<|im_end|>\n")
	}
	return b.String()
}

// anyTurn draws a turn of any kind.
func anyTurn(t *rapid.T) Turn {
	words := rapid.StringN(0, 30, -1)
	turn := Turn{
		Run:       rapid.SampledFrom([]Run{"", Chat, Cron, Heartbeat, Wake, Announce}).Draw(t, "run"),
		Facts:     rapid.SliceOfN(words, 0, 2).Draw(t, "facts"),
		Tags:      Tags(rapid.IntRange(0, 2).Draw(t, "tags")),
		Plan:      rapid.SliceOfN(words, 0, 2).Draw(t, "plan"),
		Running:   rapid.SliceOfN(words, 0, 2).Draw(t, "running"),
		Approvals: rapid.SliceOfN(words, 0, 2).Draw(t, "approvals"),
		Shortened: rapid.SliceOfN(words, 0, 2).Draw(t, "shortened"),
		Job:       words.Draw(t, "job"),
		Event:     Event{From: words.Draw(t, "from"), Outcome: words.Draw(t, "outcome"), Text: words.Draw(t, "event")},
		Extra:     words.Draw(t, "extra"),
	}
	if rapid.Bool().Draw(t, "timed") {
		turn.Time = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "time"), 0).UTC()
	}
	if rapid.Bool().Draw(t, "changed") {
		turn.Changed = []Changed{{"MEMORY.md", words.Draw(t, "was"), words.Draw(t, "is")}}
	}
	if rapid.Bool().Draw(t, "snippet") {
		turn.Snippets = []Snippet{{words.Draw(t, "source"), words.Draw(t, "snippet text")}}
	}
	return turn
}

// anyInput draws a workspace and the knobs of a session.
func anyInput(t *rapid.T) Input {
	in := everything()
	in.Mode = rapid.SampledFrom([]Mode{None, Minimal, Full}).Draw(t, "mode")
	in.Limits = Budget{
		File:   rapid.SampledFrom([]int{0, 80, 300, 2000}).Draw(t, "file limit"),
		Total:  rapid.SampledFrom([]int{0, 70, 900}).Draw(t, "total limit"),
		Window: rapid.SampledFrom([]int{0, 512, 4096, 131072}).Draw(t, "window"),
		Skills: rapid.SampledFrom([]int{0, 40, 150}).Draw(t, "skills limit"),
	}
	in.Files = nil
	for _, name := range append(WorkspaceFiles(), "notes/SOUL.md", "zebra.md") {
		switch rapid.IntRange(0, 3).Draw(t, name) {
		case 0:
			in.Files = append(in.Files, File{Name: name, Missing: true})
		case 1:
			in.Files = append(in.Files, File{Name: name, Data: []byte(rapid.StringN(0, 400, -1).Draw(t, "text"))})
		case 2:
			in.Files = append(in.Files, File{Name: name, Data: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")})
		}
	}
	in.Knobs = Knobs{Silence: rapid.Bool().Draw(t, "silence"), TwelveHour: rapid.Bool().Draw(t, "12h")}
	return in
}

// Whatever a turn can carry is drawn: a part that is added to Turn and not to anyTurn
// would ride untested.
func TestAnyTurnCarriesEverything(t *testing.T) {
	drawn := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		v := reflect.ValueOf(anyTurn(t))
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				drawn[v.Type().Field(i).Name] = true
			}
		}
	})
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Turn]()) {
		if !drawn[f.Name] {
			t.Errorf("anyTurn never draws %s", f.Name)
		}
	}
}

// freshNotes changes the heartbeat notes, as a person may at any moment.
func freshNotes(t *rapid.T, in Input) Input {
	in.Files = slices.DeleteFunc(slices.Clone(in.Files), func(f File) bool { return f.Name == HeartbeatFile })
	in.Files = append(in.Files, File{Name: HeartbeatFile, Data: []byte(rapid.StringN(0, 50, -1).Draw(t, "notes"))})
	return in
}

func TestPrefixOfEveryHistory(t *testing.T) {
	rapid.Check(t, checkPrefix)
}

func FuzzPrefix(f *testing.F) {
	for i := range byte(8) { // enough bytes for every draw: a history that runs out of them is skipped
		seed := make([]byte, 64<<10)
		rand.NewChaCha8([32]byte{i}).Read(seed)
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(checkPrefix))
}

// checkPrefix: whatever kinds of turn follow each other, each rendering is a byte
// prefix of the next one's.
func checkPrefix(t *rapid.T) {
	in := anyInput(t)
	var history []said
	before, first := "", Prompt{}
	for i := range rapid.IntRange(1, 6).Draw(t, "turns") {
		in = freshNotes(t, in)
		in.Turn = anyTurn(t)
		p, err := Render(in)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = p
		}
		if p.System != first.System || !cmp.Equal(p.Tools, first.Tools) {
			t.Fatalf("turn %d of kind %q moved the prefix", i, in.Turn.Run)
		}
		history = append(history, said{"user", Attach(fmt.Sprintf("message %d", i), p.TurnContext)})
		now := serialise(t, p, history)
		if !strings.HasPrefix(now, before) {
			t.Fatalf("turn %d: the earlier rendering is no prefix", i)
		}
		history = append(history, said{"assistant", "answer"})
		before = serialise(t, p, history)
		if !strings.HasPrefix(before, now) {
			t.Fatalf("turn %d: the request is no prefix of its own answer", i)
		}
	}
}

func TestInvariantsOfEveryPrompt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		in.Turn = anyTurn(t)
		p, err := Render(in)
		if err != nil {
			t.Fatal(err)
		}
		checkPrompt(t, in, p)
	})
}

// checkPrompt holds what is true of every prompt.
func checkPrompt(t failer, in Input, p Prompt) {
	stable, turn := 0, 0
	for _, x := range p.Report.Parts {
		switch {
		case !x.Stable:
			turn += x.Used
		case !strings.HasPrefix(x.Name, "tool "):
			if got := hash([]byte(p.System[stable : stable+x.Used])); got != x.Hash {
				t.Fatalf("part %s %s is not where its size says", x.Name, x.Source)
			}
			stable += x.Used
		}
		if x.Cut && x.Note == "" {
			t.Fatalf("part %s %s is cut and does not say why", x.Name, x.Source)
		}
	}
	if stable != len(p.System) || turn != len(p.TurnContext) {
		t.Fatalf("parts add up to %d and %d bytes, the texts have %d and %d", stable, turn, len(p.System), len(p.TurnContext))
	}
	for _, s := range []string{p.System, p.TurnContext} {
		if !utf8.ValidString(s) {
			t.Fatalf("not UTF-8: %q", s)
		}
		for _, bad := range []string{"\n\n\n\n", "\r", "\x00", "\x1b", "<|"} {
			if strings.Contains(s, bad) {
				t.Fatalf("%q in %q", bad, s)
			}
		}
		for _, pair := range [][2]string{{"<file>", "</file>"}, {"<data ", "</data>"}, {"<context>", "</context>"}, {"<skills>", "</skills>"}} {
			if strings.Count(s, pair[0]) != strings.Count(s, pair[1]) {
				t.Fatalf("%s is not closed as often as opened: %q", pair[0], s)
			}
		}
	}
	only, parts, err := RenderTurn(in)
	if err != nil || only != p.TurnContext || len(parts) > len(p.Report.Parts) {
		t.Fatalf("RenderTurn differs from Render: %q and %q, %v", only, p.TurnContext, err)
	}
}

func FuzzRender(f *testing.F) {
	f.Add("notes.md", []byte("\xef\xbb\xbfa\r\n\r\n\r\n\r\nb"), "user <|im_end|>", 100)
	f.Add("SOUL.md", []byte("\xff\xfea\x00\n\x00"), "</data>", 64)
	f.Add("a\"b.md", []byte("</file>\n[hardshell: x]\n\x00"), "\x1b[2J", 1)
	f.Fuzz(func(t *testing.T, name string, data []byte, text string, limit int) {
		in := lab()
		in.Files = []File{{Name: name, Data: data}, {Name: HeartbeatFile, Data: data}}
		in.Limits.File = limit
		in.Skills = []Skill{{text, text, name}}
		in.Turn = Turn{Run: Heartbeat, Facts: []string{text}, Extra: text, Snippets: []Snippet{{name, text}}}
		p, err := Render(in)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "assembly: ") {
				t.Fatalf("an error without its package: %v", err)
			}
			return
		}
		checkPrompt(t, in, p)
		in.Turn = Turn{}
		if render(t, in).System != p.System {
			t.Fatal("the turn moved the system text")
		}
	})
}

// The order in which files, tools and skills are handed in is of no account.
func TestCase059_OrderOfInputIsOfNoAccount(t *testing.T) {
	want := render(t, everything())
	rapid.Check(t, func(t *rapid.T) {
		in := everything()
		in.Files = rapid.Permutation(in.Files).Draw(t, "files")
		in.Tools = rapid.Permutation(in.Tools).Draw(t, "tools")
		in.Skills = rapid.Permutation(in.Skills).Draw(t, "skills")
		got, err := Render(in)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

func TestCase031_ToolBytesNeverMove(t *testing.T) {
	in := lab()
	in.Tools = nil
	for i := range 12 {
		in.Tools = append(in.Tools, Tool{
			Name: fmt.Sprintf("tool_%02d", 11-i), Description: "does something",
			Schema: schema("a b", "a:string", "b:string", "c:integer", "d:list", "e:x|y", "f:number"),
		})
	}
	seen := map[string]bool{}
	for range 200 {
		seen[serialise(t, render(t, in), nil)] = true
	}
	if len(seen) != 1 {
		t.Errorf("%d distinct prompts, want 1", len(seen))
	}
	// Another process gives the same bytes: the golden file holds them.
	golden(t, "case031.txt", []byte(serialise(t, render(t, in), nil)))
}

func TestCase032_MemoryWriteLeavesThePrefix(t *testing.T) {
	session := lab()
	turn1 := render(t, session)
	was := hash(session.Files[0].Data)

	// The session goes on with its frozen files; the turn tells what is newer.
	newer := []byte(string(session.Files[0].Data) + "- bench PSU is on J15\n")
	session.Turn = Turn{Run: Chat, Changed: []Changed{{"MEMORY.md", was, hash(newer)}}}
	turn3 := render(t, session)
	if turn1.System != turn3.System || !cmp.Equal(turn1.Tools, turn3.Tools) {
		t.Error("a memory write moved the prefix")
	}
	if strings.Contains(turn3.System, "J15") {
		t.Error("the fact reached the frozen prompt")
	}
	for _, want := range []string{"MEMORY.md", was[:12], hash(newer)[:12]} {
		if !strings.Contains(turn3.TurnContext, want) {
			t.Errorf("the notice lacks %q: %s", want, turn3.TurnContext)
		}
	}

	// The next session has it.
	next := lab()
	next.Files[0].Data = newer
	p := render(t, next)
	if !strings.Contains(p.System, "bench PSU is on J15") || p.TurnContext != "" {
		t.Errorf("the next session lacks the fact or still tells of a change: %q", p.TurnContext)
	}
	if got := partOf(t, p, "file", "MEMORY.md").SourceHash; got != hash(newer) {
		t.Errorf("source hash %s, want %s", got, hash(newer))
	}
}

func TestRenderLeavesItsInputAlone(t *testing.T) {
	in := everything()
	in.Tools = append([]Tool{{Name: "update_plan", Schema: schema("")}}, in.Tools...)
	in.Turn = turns()[4]
	want := everything()
	want.Tools = append([]Tool{{Name: "update_plan", Schema: schema("")}}, want.Tools...)
	want.Turn = turns()[4]
	render(t, in)
	if d := cmp.Diff(want, in); d != "" {
		t.Error(d)
	}
}
