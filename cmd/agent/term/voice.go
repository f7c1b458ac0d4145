package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	xterm "golang.org/x/term"

	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/prompt"
	"hardshell/tools/text"
)

// previewLines and previewWidth bound what a person sees of one result; the
// model gets all of it.
const (
	previewLines = 8
	previewWidth = 160
)

// Voice shows turns to a person.
type Voice struct {
	out, err io.Writer
	color    bool

	open  bool // stdout stands in the middle of a line
	text  splitter
	shown strings.Builder   // answer text since the last call
	mind  string            // the end of the thinking, less than a line of it
	live  map[string]extent // of the output of a running call
}

// NewVoice gives a voice for two streams.
func NewVoice(out, err io.Writer, getenv func(string) string) *Voice {
	return &Voice{out: out, err: err, color: IsTerminal(err) && getenv("NO_COLOR") == "", live: map[string]extent{}}
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// Say prints one line of the program's own.
func (v *Voice) Say(style, format string, args ...any) {
	v.endLine()
	line := strings.TrimRight(Mark+" "+fmt.Sprintf(format, args...), " ")
	if v.color && style != "" {
		line = "\x1b[" + style + "m" + line + "\x1b[0m"
	}
	fmt.Fprintln(v.err, line)
}

// Styles of the program's lines.
const (
	plain = ""
	Dim   = "2"
	warn  = "33"
	bad   = "31"
	bold  = "1"
)

// endLine ends a line of answer text that stands open.
func (v *Voice) endLine() {
	if v.open {
		io.WriteString(v.out, "\n")
		v.open = false
	}
}

// Event shows one event of a turn. Approvals are asked elsewhere; here only what
// became of them is told.
func (v *Voice) Event(e event.Event) {
	switch {
	case e.Chunk != nil && e.Chunk.Phase != "":
		v.Say(Dim, "%s …", OneLine(e.Chunk.Phase, previewWidth))
	case e.Chunk != nil && e.Chunk.Thinking != "":
		v.think(e.Chunk.Thinking)
	case e.Chunk != nil:
		v.endThought()
		v.write(v.text.next(e.Chunk.Text))
	case e.Kind == event.ToolStart:
		v.endThought()
		v.write(v.text.rest())
		v.shown.Reset()
		v.Say(bold, "%s %s", OneLine(e.Tool.Name, 40), OneLine(PlainJSON(e.Tool.Args), previewWidth))
	case e.Kind == event.ToolUpdate:
		v.update(e.Tool)
	case e.Kind == event.ToolEnd:
		v.toolEnd(e.Tool)
	case e.Kind == event.ApprovalAnswered:
		v.Say(Dim, "  question %s: %s, by %s", e.Approval.ID, e.Approval.Answer, e.Approval.By)
	case e.Notice != nil:
		v.Notice(*e.Notice)
	case e.End != nil:
		v.end(e.End)
	}
}

// write puts answer text on stdout.
func (v *Voice) write(text string) {
	if text == "" {
		return
	}
	text = Foreign(text)
	v.shown.WriteString(text)
	io.WriteString(v.out, text)
	v.open = text != "" && !strings.HasSuffix(text, "\n") || text == "" && v.open
}

// mostLines is how many lines are shown of a running call: a plan, which is for the
// person, whole.
func mostLines(tool string) int {
	if tool == "update_plan" {
		return 20
	}
	return previewLines
}

// extent is how much a running call has written so far: pieces of its output may end
// within a line.
type extent struct {
	lines  int
	within bool
}

// update shows output of a running call, a few lines of it.
func (v *Voice) update(t *event.Tool) {
	most, seen := mostLines(t.Name), v.live[t.ID]
	for line := range strings.Lines(t.Text) {
		if !seen.within || seen.lines <= most { // else it goes on with a line that is counted
			seen.lines++
			if seen.lines <= most {
				v.Say(Dim, "  │ %s", OneLine(line, previewWidth))
			}
		}
		seen.within = !strings.HasSuffix(line, "\n")
	}
	v.live[t.ID] = seen
}

// toolEnd shows what policy said of a call, what came of it and the first lines
// of the result.
func (v *Voice) toolEnd(t *event.Tool) {
	style := Dim
	line := t.Outcome
	switch {
	case t.Outcome == "refused":
		style, line = bad, fmt.Sprintf("refused by %s: %s", OrNone(t.Rule), OneLine(t.Reason, 300))
	case t.Verdict != "":
		line = fmt.Sprintf("%s by %s, %s, %s", t.Verdict, OrNone(t.Rule), t.Outcome, Millis(t.Millis))
	}
	v.Say(style, "  %s", OneLine(line, 400))
	if t.Outcome != "refused" && v.live[t.ID].lines == 0 {
		v.preview(t.Text)
	} else if n := v.live[t.ID].lines - mostLines(t.Name); n > 0 {
		v.Say(Dim, "  │ … %d more lines", n)
	}
	delete(v.live, t.ID)
}

// preview shows the first lines of a result.
func (v *Voice) preview(text string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if text == "" {
		return
	}
	for i, line := range lines {
		if i == previewLines {
			v.Say(Dim, "  │ … %d more lines", len(lines)-i)
			return
		}
		v.Say(Dim, "  │ %s", cut(strings.TrimRight(Foreign(line), " \t\r"), previewWidth))
	}
}

// Beside is this voice for what comes while the person types.
func (v *Voice) Beside(ed *Editor) *Voice {
	w := &wholeLines{to: ed}
	return &Voice{out: w, err: w, color: v.color, live: map[string]extent{}}
}

// Problem shows what went wrong while the conversation goes on.
func (v *Voice) Problem(p event.Problem) { Report(p, false, v.out, v.err) }

// Notice shows a warning, or the end of a command, which is none.
func (v *Voice) Notice(n event.Notice) {
	if n.Code == prompt.EndedNotice {
		v.Say(bold, "%s", OneLine(n.Message, 600))
		return
	}
	v.Say(warn, "warning: %s", OneLine(n.Message, 600))
	if n.Hint != "" {
		v.Say(Dim, "  try: %s", OneLine(n.Hint, 600))
	}
}

// End closes a turn: what of the answer was not streamed, what went wrong, what
// it cost.
func (v *Voice) end(e *event.End) {
	v.endThought()
	v.write(v.text.rest())
	if answer := Foreign(e.Answer); e.Status == runtime.Done && !strings.HasSuffix(strings.TrimSpace(v.shown.String()), strings.TrimSpace(answer)) {
		v.endLine()
		v.write(e.Answer)
	}
	v.endLine()
	v.shown.Reset()
	for _, path := range e.Files {
		v.Say(plain, "file: %s", OneLine(path, 400))
	}
	if e.Silent {
		v.Say(Dim, "nothing to say")
	}
	if e.Error != nil {
		Report(*e.Error, false, v.out, v.err)
	}
	if u := e.Usage; u.Requests > 0 {
		v.Say(Dim, "%s", UsageLine(u))
	}
}

// UsageLine says what a turn cost. Where the server does not tell how much of the
// prompt it reused, the line says so and gives the expectation: unknown is not
// zero.
func UsageLine(u event.Usage) string {
	reused := fmt.Sprintf("reuse not told, about %d expected", u.Predicted)
	if u.Reused != nil {
		reused = fmt.Sprintf("%d reused of about %d expected", *u.Reused, u.Predicted)
	}
	return fmt.Sprintf("%s · %d prompt tokens, %s · %d written · first token after %s · %s in all",
		Counted(u.Requests, "request"), u.Prompt, reused, u.Output, Millis(u.FirstToken), Millis(u.Total))
}

// Millis is a time in the unit that reads best.
func Millis(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return text.Span((time.Duration(ms) * time.Millisecond).Round(100 * time.Millisecond))
}

// cut keeps the first n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// OrNone names a rule, or says that there is none.
func OrNone(rule string) string {
	if rule == "" {
		return "no rule"
	}
	return rule
}
