package main

// The program's voice.
//
// Answers and tables go to stdout, everything else to stderr. What the program
// itself says during a turn begins with the mark ▌, stands on a line of its own
// and is short: what is called, what policy said and by which rule, what came of
// it, what it cost. The mark never occurs in the text of a model, a file or a
// command, so that no text can pass itself off as a verdict or a question. Errors
// are two lines, "agent: what happened" and "try: what to do", without capitals
// and full stops. Nothing is coloured unless stderr is a terminal and NO_COLOR is
// not set, and then only the program's own lines are; the cursor is never moved.

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/tools/span"
)

// previewLines and previewWidth bound what a person sees of one result; the
// model gets all of it.
const (
	previewLines = 8
	previewWidth = 160
)

// voice shows turns to a person.
type voice struct {
	out, err io.Writer
	color    bool

	open  bool // stdout stands in the middle of a line
	text  splitter
	shown strings.Builder   // answer text since the last call
	mind  string            // the end of the thinking, less than a line of it
	live  map[string]extent // of the output of a running call
}

// newVoice gives a voice for two streams.
func newVoice(out, err io.Writer, getenv func(string) string) *voice {
	return &voice{out: out, err: err, color: isTerminal(err) && getenv("NO_COLOR") == "", live: map[string]extent{}}
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// say prints one line of the program's own.
func (v *voice) say(style, format string, args ...any) {
	v.endLine()
	line := strings.TrimRight(mark+" "+fmt.Sprintf(format, args...), " ")
	if v.color && style != "" {
		line = "\x1b[" + style + "m" + line + "\x1b[0m"
	}
	fmt.Fprintln(v.err, line)
}

// Styles of the program's lines.
const (
	plain = ""
	dim   = "2"
	warn  = "33"
	bad   = "31"
	bold  = "1"
)

// endLine ends a line of answer text that stands open.
func (v *voice) endLine() {
	if v.open {
		io.WriteString(v.out, "\n")
		v.open = false
	}
}

// event shows one event of a turn. Approvals are asked elsewhere; here only what
// became of them is told.
func (v *voice) event(e event.Event) {
	switch {
	case e.Chunk != nil && e.Chunk.Phase != "":
		v.say(dim, "%s …", oneLine(e.Chunk.Phase, previewWidth))
	case e.Chunk != nil && e.Chunk.Thinking != "":
		v.think(e.Chunk.Thinking)
	case e.Chunk != nil:
		v.endThought()
		v.write(v.text.next(e.Chunk.Text))
	case e.Kind == event.ToolStart:
		v.endThought()
		v.write(v.text.rest())
		v.shown.Reset()
		v.say(bold, "%s %s", oneLine(e.Tool.Name, 40), oneLine(plainJSON(e.Tool.Args), previewWidth))
	case e.Kind == event.ToolUpdate:
		v.update(e.Tool)
	case e.Kind == event.ToolEnd:
		v.toolEnd(e.Tool)
	case e.Kind == event.ApprovalAnswered:
		v.say(dim, "  question %s: %s, by %s", e.Approval.ID, e.Approval.Answer, e.Approval.By)
	case e.Notice != nil:
		v.notice(*e.Notice)
	case e.End != nil:
		v.end(e.End)
	}
}

// write puts answer text on stdout.
func (v *voice) write(text string) {
	if text == "" {
		return
	}
	text = foreign(text)
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
func (v *voice) update(t *event.Tool) {
	most, seen := mostLines(t.Name), v.live[t.ID]
	for line := range strings.Lines(t.Text) {
		if !seen.within || seen.lines <= most { // else it goes on with a line that is counted
			seen.lines++
			if seen.lines <= most {
				v.say(dim, "  │ %s", oneLine(line, previewWidth))
			}
		}
		seen.within = !strings.HasSuffix(line, "\n")
	}
	v.live[t.ID] = seen
}

// toolEnd shows what policy said of a call, what came of it and the first lines
// of the result.
func (v *voice) toolEnd(t *event.Tool) {
	style := dim
	line := t.Outcome
	switch {
	case t.Outcome == "refused":
		style, line = bad, fmt.Sprintf("refused by %s: %s", orNone(t.Rule), oneLine(t.Reason, 300))
	case t.Verdict != "":
		line = fmt.Sprintf("%s by %s, %s, %s", t.Verdict, orNone(t.Rule), t.Outcome, millis(t.Millis))
	}
	v.say(style, "  %s", oneLine(line, 400))
	if t.Outcome != "refused" && v.live[t.ID].lines == 0 {
		v.preview(t.Text)
	} else if n := v.live[t.ID].lines - mostLines(t.Name); n > 0 {
		v.say(dim, "  │ … %d more lines", n)
	}
	delete(v.live, t.ID)
}

// preview shows the first lines of a result.
func (v *voice) preview(text string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if text == "" {
		return
	}
	for i, line := range lines {
		if i == previewLines {
			v.say(dim, "  │ … %d more lines", len(lines)-i)
			return
		}
		v.say(dim, "  │ %s", cut(strings.TrimRight(foreign(line), " \t\r"), previewWidth))
	}
}

// beside is this voice for what comes while the person types.
func (v *voice) beside(ed *editor) *voice {
	w := &wholeLines{to: ed}
	return &voice{out: w, err: w, color: v.color, live: map[string]extent{}}
}

// notice shows a warning, or the end of a command, which is none.
func (v *voice) notice(n event.Notice) {
	if n.Code == runtime.EndedNotice {
		v.say(bold, "%s", oneLine(n.Message, 600))
		return
	}
	v.say(warn, "warning: %s", oneLine(n.Message, 600))
	if n.Hint != "" {
		v.say(dim, "  try: %s", oneLine(n.Hint, 600))
	}
}

// end closes a turn: what of the answer was not streamed, what went wrong, what
// it cost.
func (v *voice) end(e *event.End) {
	v.endThought()
	v.write(v.text.rest())
	if answer := foreign(e.Answer); e.Status == runtime.Done && !strings.HasSuffix(strings.TrimSpace(v.shown.String()), strings.TrimSpace(answer)) {
		v.endLine()
		v.write(e.Answer)
	}
	v.endLine()
	v.shown.Reset()
	for _, path := range e.Files {
		v.say(plain, "file: %s", oneLine(path, 400))
	}
	if e.Silent {
		v.say(dim, "nothing to say")
	}
	if e.Error != nil {
		report(*e.Error, false, v.out, v.err)
	}
	if u := e.Usage; u.Requests > 0 {
		v.say(dim, "%s", usageLine(u))
	}
}

// usageLine says what a turn cost. Where the server does not tell how much of the
// prompt it reused, the line says so and gives the expectation: unknown is not
// zero.
func usageLine(u event.Usage) string {
	reused := fmt.Sprintf("reuse not told, about %d expected", u.Predicted)
	if u.Reused != nil {
		reused = fmt.Sprintf("%d reused of about %d expected", *u.Reused, u.Predicted)
	}
	return fmt.Sprintf("%s · %d prompt tokens, %s · %d written · first token after %s · %s in all",
		counted(u.Requests, "request"), u.Prompt, reused, u.Output, millis(u.FirstToken), millis(u.Total))
}

// millis is a time in the unit that reads best.
func millis(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return span.String((time.Duration(ms) * time.Millisecond).Round(100 * time.Millisecond))
}

// cut keeps the first n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// orNone names a rule, or says that there is none.
func orNone(rule string) string {
	if rule == "" {
		return "no rule"
	}
	return rule
}

// viewer is what shows the events of a turn: a voice, or lines of JSON.
type viewer interface{ event(e event.Event) }

// jsonLines shows each event as one line of JSON.
type jsonLines struct{ out io.Writer }

func (j jsonLines) event(e event.Event) { printJSON(j.out, e) }

// indented writes a value as JSON for people to read.
func indented(w io.Writer, v any) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil { // plain values always marshal
		panic("agent: internal error: " + err.Error())
	}
	fmt.Fprintf(w, "%s\n", harmlessJSON(b))
}
