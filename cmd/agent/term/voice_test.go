package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hardshell/runtime/event"
	"hardshell/tools/text"
)

// both is stdout and stderr as they come, each line of stderr with "2|" before
// it.
type both struct{ b bytes.Buffer }

type stream struct {
	to     *both
	prefix string
}

func (s stream) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		s.to.b.WriteString(s.prefix + line)
	}
	return len(p), nil
}

// show renders events as a person sees them.
func show(color bool, events ...event.Event) string {
	var b both
	v := &Voice{out: stream{&b, ""}, err: stream{&b, "2|"}, color: color, live: map[string]extent{}}
	for _, e := range events {
		v.Event(e)
	}
	return b.b.String()
}

func chunk(text string) event.Event {
	return event.Event{Kind: event.ModelChunk, Chunk: &event.Chunk{Text: text}}
}

func toolEvent(kind event.Kind, t event.Tool) event.Event {
	return event.Event{Kind: kind, Tool: &t}
}

// TestPlainJSON holds that a person reads the letters of a command and JSON means
// the same.
func TestPlainJSON(t *testing.T) {
	if d := cmp.Diff(`{"script":"a > b && cat < b # \\u003e"}`, PlainJSON([]byte(`{"script":"a \u003e b \u0026\u0026 cat \u003c b # \\u003e"}`))); d != "" {
		t.Error(d)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.StringOf(rapid.SampledFrom([]rune(`<>&\"u03ce6ü`))).Draw(t, "text")
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := json.Unmarshal([]byte(PlainJSON(raw)), &got); err != nil || got != want {
			t.Fatalf("%s became %s (%v)", raw, PlainJSON(raw), err)
		}
	})
}

func intp(n int) *int { return &n }

func TestVoiceShowsATurn(t *testing.T) {
	many := strings.Repeat("line\n", 12)
	got := show(
		false,
		event.Event{Kind: event.TurnStart, Start: &event.Start{Agent: "main", Run: "chat", Text: "q", Model: "m"}},
		event.Event{Kind: event.ModelChunk, Chunk: &event.Chunk{Phase: "loading model"}},
		event.Event{Kind: event.ModelChunk, Chunk: &event.Chunk{Thinking: "shown apart"}},
		chunk("I look "), chunk("it up."),
		toolEvent(event.ToolStart, event.Tool{ID: "1", Name: "read", Args: json.RawMessage(`{"path":"log.txt"}`)}),
		toolEvent(event.ToolEnd, event.Tool{ID: "1", Name: "read", Text: "boot ok\nfan 1200 rpm\n", Outcome: "ok", Verdict: "allow", Rule: "files.workspace", Millis: 3}),
		toolEvent(event.ToolStart, event.Tool{ID: "2", Name: "exec", Args: json.RawMessage(`{"argv":["reboot"]}`)}),
		toolEvent(event.ToolEnd, event.Tool{ID: "2", Name: "exec", Text: "refused: …", Outcome: "refused", Verdict: "deny", Rule: "builtin.power", Reason: "power is the power tool's"}),
		toolEvent(event.ToolStart, event.Tool{ID: "3", Name: "exec", Args: json.RawMessage(`{"argv":["seq","12"]}`)}),
		toolEvent(event.ToolUpdate, event.Tool{ID: "3", Name: "exec", Text: many}),
		toolEvent(event.ToolEnd, event.Tool{ID: "3", Name: "exec", Text: many, Outcome: "failed", Verdict: "ask", Rule: "exec.unlisted", Millis: 61500}),
		toolEvent(event.ToolStart, event.Tool{ID: "4", Name: "nope"}),
		toolEvent(event.ToolEnd, event.Tool{ID: "4", Name: "nope", Text: many, Outcome: "unknown"}),
		event.Event{Kind: event.ApprovalAnswered, Approval: &event.Approval{ID: "a1", Answer: "once", By: "terminal"}},
		event.Event{Kind: event.Warning, Notice: &event.Notice{Code: "c", Message: "cut", Hint: "raise it"}},
		chunk("The fan runs"), chunk(" at 1200 rpm."),
		event.Event{Kind: event.TurnEnd, End: &event.End{
			Status: "done", Answer: "The fan runs at 1200 rpm.",
			Usage: event.Usage{Requests: 2, Prompt: 2100, Output: 31, Reused: intp(1900), FirstToken: 320, Total: 1240},
		}},
	)
	golden(t, "testdata/turn.txt", got)
}

// TestNoTextForgesTheProgram holds that what a model, a file or a command says
// can't look like the program's own lines, move the cursor or colour anything.
func TestNoTextForgesTheProgram(t *testing.T) {
	evil := "\x1b[2J\x1b[1;1H▌ exec {\"argv\":[\"ls\"]}\r\n▌   allow by files.workspace, ok\x1b]0;title\x07\u009b31m\u202ereversed\x08\x08"
	args, err := json.Marshal(map[string]string{"path": evil})
	if err != nil {
		t.Fatal(err)
	}
	got := show(
		false,
		chunk(evil), chunk("\x1b"), chunk("[31mred"), chunk("\x1b]0;ti"), chunk("tle\x07end"),
		toolEvent(event.ToolStart, event.Tool{ID: "1", Name: evil, Args: args}),
		toolEvent(event.ToolUpdate, event.Tool{ID: "1", Text: evil}),
		toolEvent(event.ToolEnd, event.Tool{ID: "1", Name: "x", Text: evil, Outcome: "ok", Verdict: "allow", Rule: evil, Reason: evil}),
		toolEvent(event.ToolEnd, event.Tool{ID: "2", Name: "x", Text: evil, Outcome: "refused", Rule: evil, Reason: evil}),
		toolEvent(event.ToolEnd, event.Tool{ID: "3", Name: "x", Text: evil, Outcome: evil}),
		event.Event{Kind: event.Warning, Notice: &event.Notice{Message: evil, Hint: evil}},
		event.Event{Kind: event.ModelChunk, Chunk: &event.Chunk{Phase: evil}},
		event.Event{Kind: event.TurnEnd, End: &event.End{Status: "failed", Error: &event.Problem{Message: evil, Hint: evil}, Answer: evil}},
	)
	if strings.ContainsAny(got, "\x1b\x07\r\x08\u009b\u202e") {
		t.Errorf("controls reach the terminal: %q", got)
	}
	for line := range strings.Lines(got) {
		ours := strings.HasPrefix(line, "2|"+Mark+" ")
		if strings.Count(line, Mark) > 1 || strings.Contains(line, Mark) && !ours {
			t.Errorf("a mark that is not ours: %q", line)
		}
	}
	if !strings.Contains(got, "|   allow by files.workspace") || !strings.Contains(got, "redend") {
		t.Errorf("the text itself is lost: %q", got)
	}
}

// TestSplitLinesAreCountedOnce: output arrives in pieces that end anywhere.
func TestSplitLinesAreCountedOnce(t *testing.T) {
	text := strings.Repeat("line\n", 40)
	var events []event.Event
	for len(text) > 0 {
		n := min(3, len(text)) // no divisor of a line
		if len(text) > 200-5*previewLines {
			n = 5
		}
		events = append(events, toolEvent(event.ToolUpdate, event.Tool{ID: "c", Name: "exec", Text: text[:n]}))
		text = text[n:]
	}
	got := show(false, append(events, toolEvent(event.ToolEnd, event.Tool{ID: "c", Name: "exec", Outcome: "ok"}))...)
	want := strings.Repeat("2|▌   │ line\n", previewLines) + fmt.Sprintf("2|▌   ok\n2|▌   │ … %d more lines\n", 40-previewLines)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestVoiceColours(t *testing.T) {
	got := show(true, chunk("a\x1b[31mb"), event.Event{Kind: event.Warning, Notice: &event.Notice{Message: "m"}})
	if want := "ab\n2|\x1b[33m▌ warning: m\x1b[0m\n"; got != want {
		t.Errorf("got %q", got)
	}
}

// TestAnswerIsShownOnce holds that the answer appears exactly once, streamed or
// not.
func TestAnswerIsShownOnce(t *testing.T) {
	end := func(answer string) event.Event {
		return event.Event{Kind: event.TurnEnd, End: &event.End{Status: "done", Answer: answer}}
	}
	for _, tt := range []struct {
		name string
		in   []event.Event
		want string
	}{
		{"streamed", []event.Event{chunk("the "), chunk("answer"), end("the answer")}, "the answer\n"},
		{"streamed with line end", []event.Event{chunk("the answer\n"), end("the answer")}, "the answer\n"},
		{"not streamed", []event.Event{end("the answer")}, "the answer\n"},
		{"pieces lost", []event.Event{chunk("the "), end("the answer")}, "the \nthe answer\n"},
		{"after talk and a call", []event.Event{
			chunk("the answer"), toolEvent(event.ToolStart, event.Tool{Name: "x"}), end("the answer"),
		}, "the answer\n2|▌ x\nthe answer\n"},
		{"escape cut in two", []event.Event{chunk("red \x1b[3"), chunk("1mfish"), end("red \x1b[31mfish")}, "red fish\n"},
		{"ends within an escape", []event.Event{chunk("fish\x1b[3"), end("fish\x1b[3")}, "fish\n"},
	} {
		if d := cmp.Diff(tt.want, show(false, tt.in...)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func TestUsageLine(t *testing.T) {
	reused := 7
	for want, u := range map[string]event.Usage{
		"1 request · 10 prompt tokens, reuse not told, about 6 expected · 2 written · first token after 5 ms · 1m5s in all": {
			Requests: 1, Prompt: 10, Predicted: 6, Output: 2, FirstToken: 5, Total: 65_000,
		},
		"2 requests · 10 prompt tokens, 7 reused of about 6 expected · 2 written · first token after 5 ms · 900 ms in all": {
			Requests: 2, Prompt: 10, Reused: &reused, Predicted: 6, Output: 2, FirstToken: 5, Total: 900,
		},
	} {
		if got := UsageLine(u); got != want {
			t.Errorf("got %s", got)
		}
	}
}

func TestQuestionBlock(t *testing.T) {
	var b both
	v := &Voice{out: stream{&b, ""}, err: stream{&b, "2|"}, live: map[string]extent{}}
	v.Event(chunk("I want to"))
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	v.Ask(event.Approval{
		ID: "a1", Tool: "exec", Subject: "apt install jq\x1b[2K\n▌ allow", Rule: "exec.apt", Reason: "changes the system", Deadline: now.Add(10 * time.Minute),
	}, now)
	want := `I want to
2|▌ question a1: may exec do this?
2|▌   apt install jq | allow
2|▌   exec.apt: changes the system
2|▌   open for 10m, then it counts as denied
2|▌   [o]nce, for this [s]ession, or [d]eny: `
	if d := cmp.Diff(want, b.b.String()); d != "" {
		t.Error(d)
	}
}

// TestLongQuestionsSayHowLongTheyAre: the beginning may have left the screen.
func TestLongQuestionsSayHowLongTheyAre(t *testing.T) {
	for _, c := range []struct {
		length int
		told   bool
	}{{1000, false}, {1001, true}} {
		var b both
		v := &Voice{out: stream{&b, ""}, err: stream{&b, ""}, live: map[string]extent{}}
		v.Ask(event.Approval{ID: "a1", Tool: "exec", Subject: strings.Repeat("ü", c.length), Rule: "r", Reason: "why"}, time.Time{})
		if got := strings.Contains(b.b.String(), "▌   that is 1001 characters, from the line that begins with ▌ question a1: read them all\n▌   r: why\n"); got != c.told {
			t.Errorf("%d characters:\n%s", c.length, b.b.String())
		}
	}
}

// TestActionsAreListedWhole: whoever answers at another terminal sees all of what runs.
func TestActionsAreListedWhole(t *testing.T) {
	var out strings.Builder
	end := "python3 -c \"" + strings.Repeat("x", 300) + "    the end\" (in /w)"
	Actions(&out, &out, [][]string{{"ID", "ACTION"}, {"a1", end}}, "none")
	List(&out, &out, [][]string{{"ID", "ACTION"}, {"a1", end}}, "none")
	want := "ID  ACTION\na1  " + end + "\nID  ACTION\na1  " + end[:200] + "…\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

func TestUnderstandsAnswers(t *testing.T) {
	got := map[string]string{}
	for _, s := range []string{"o", "Once\n", " yes ", "s", "session", "d", "deny", "n", "", "\n", "sure", "always", "o s"} {
		got[s] = AnswerOf(s, false)
	}
	want := map[string]string{
		"o": "once", "Once\n": "once", " yes ": "once", "s": "session", "session": "session", "d": "deny", "deny": "deny", "n": "deny",
		"": "deny", "\n": "deny", "sure": "", "always": "", "o s": "",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if a, b := AnswerOf("a", true), AnswerOf("always\n", true); a != "always" || b != "always" {
		t.Errorf("where a standing answer is allowed: %q %q", a, b)
	}
}

// FuzzSplitter holds that cutting a stream anywhere changes nothing of what is
// shown, and that nothing is lost.
func FuzzSplitter(f *testing.F) {
	for _, s := range []string{"plain", "a\x1b[31mb", "\x1b]0;t\x07x", "ü\r\n", "\x1b\x1b[", "\x1bP.\n.\x1b\\y", "\xc3", "€€", "\u009b1m", "\x1b(B\x1b[\x1b[\n"} {
		f.Add(s, 1)
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, in string, at int) {
		var s splitter
		n := 1 + max(at, 0)%7
		var shown, whole strings.Builder
		for i := 0; i < len(in); i += n {
			out := s.next(in[i:min(i+n, len(in))])
			whole.WriteString(out)
			shown.WriteString(text.Clean(out))
		}
		out := s.rest()
		whole.WriteString(out)
		shown.WriteString(text.Clean(out))
		if whole.String() != in {
			t.Fatalf("lost text: %q became %q", in, whole.String())
		}
		if strings.ContainsAny(shown.String(), "\x1b\x07\x08") {
			t.Fatalf("a control got through: %q", shown.String())
		}
		if len(in) < maxKept && shown.String() != text.Clean(in) {
			t.Fatalf("%q in pieces of %d: shown %q, whole %q", in, n, shown.String(), text.Clean(in))
		}
	})
}

// TestSplitterGivesUp holds that a sequence which never ends does not swallow the
// answer.
func TestSplitterGivesUp(t *testing.T) {
	var s splitter
	for range 100 {
		s.next("\x1b[" + strings.Repeat("1", 1000))
		if len(s.kept) > maxKept {
			t.Fatalf("%d bytes are kept back", len(s.kept))
		}
	}
	for range 40 {
		s.next(strings.Repeat("1;", 1000))
	}
	if len(s.kept) > maxKept {
		t.Errorf("%d bytes are kept back", len(s.kept))
	}
}

func Example_foreign() {
	fmt.Println(Foreign("\x1b[31mred\x1b[0m ▌ allow"))
	// Output: red | allow
}

// TestQuestionShowsEveryCharacter: blanks are neither joined nor cut, and nothing
// begins a line of its own.
func TestQuestionShowsEveryCharacter(t *testing.T) {
	long := strings.Repeat("x", 3900)
	for in, want := range map[string]string{
		`rm "a  b"`: `rm "a  b"`, "rm \"a\u00a0b\"": "rm \"a\u00a0b\"", "a\nb\tc": "a b c", "▌ allow": "| allow", long: long,
	} {
		if got := wholeLine(in); got != want {
			t.Errorf("%.60q: %.60q, want %.60q", in, got, want)
		}
	}
}
