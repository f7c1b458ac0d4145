package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"hardshell/runtime/event"
	"hardshell/tools/text"
)

// JSON writes one value as one line. Characters that a terminal acts on are
// written as escapes, which says the same to every reader of JSON.
func JSON(w io.Writer, v any) {
	b, err := json.Marshal(v)
	if err != nil { // plain values always marshal
		panic("agent: internal error: " + err.Error())
	}
	fmt.Fprintf(w, "%s\n", harmlessJSON(b))
}

// harmlessJSON escapes what encoding/json leaves as it is and a terminal acts
// on: C1 controls and marks of writing direction.
func harmlessJSON(b []byte) []byte {
	var out strings.Builder
	for _, r := range string(b) {
		if r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Cf, r) && r <= 0xffff {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return []byte(out.String())
}

// PlainJSON is JSON with <, > and & as themselves where encoding/json wrote escapes,
// so that a person reads the command that a call holds.
func PlainJSON(raw []byte) string {
	letters := map[string]string{`\u003c`: "<", `\u003e`: ">", `\u0026`: "&"}
	var out strings.Builder
	for s := string(raw); s != ""; {
		n := 1
		if s[0] == '\\' && len(s) > 1 {
			n = 2 // an escaped backslash begins nothing
			if len(s) >= 6 && letters[s[:6]] != "" {
				out.WriteString(letters[s[:6]])
				s = s[6:]
				continue
			}
		}
		out.WriteString(s[:n])
		s = s[n:]
	}
	return out.String()
}

// Counted is a number of things of one kind: "1 record", "2 records".
func Counted[N int | uint64](n N, kind string) string {
	if n == 1 {
		return "1 " + kind
	}
	return fmt.Sprintf("%d %ss", n, kind)
}

// Mark begins each line that the program itself says during a turn. It can't
// occur in the text of others: see foreign.
const Mark = "▌"

// Foreign makes text of a model, a file or a command fit for a terminal: nothing
// in it moves the cursor, changes colours or looks like a line of the program's
// own.
func Foreign(s string) string { return strings.ReplaceAll(text.Clean(s), Mark, "|") }

// CleanBlock is foreign for text that ends in a line of ours.
func CleanBlock(s string) string { return strings.TrimRight(Foreign(s), "\n") }

// OneLine is foreign text on one line, cut after n characters.
func OneLine(s string, n int) string {
	return cut(strings.Join(strings.Fields(Foreign(s)), " "), n)
}

// wholeLine is foreign text on one line, with every blank and to its end: what a
// person decides on.
func wholeLine(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(Foreign(s))
}

// JSONLines shows each event as one line of JSON.
type JSONLines struct{ Out io.Writer }

func (j JSONLines) Event(e event.Event) { JSON(j.Out, e) }

// IndentedJSON writes a value as JSON for people to read.
func IndentedJSON(w io.Writer, v any) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil { // plain values always marshal
		panic("agent: internal error: " + err.Error())
	}
	fmt.Fprintf(w, "%s\n", harmlessJSON(b))
}

// HarmlessLines passes on whole lines with what a terminal acts on escaped, which
// says the same to every reader of JSON.
type HarmlessLines struct {
	w    io.Writer
	rest []byte // the line that has no end yet
}

func (h *HarmlessLines) Write(p []byte) (int, error) {
	h.rest = append(h.rest, p...)
	end := bytes.LastIndexByte(h.rest, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	_, err := h.w.Write(harmlessJSON(h.rest[:end]))
	h.rest = h.rest[end:]
	return len(p), err
}

// NewHarmlessLines passes lines on to w.
func NewHarmlessLines(w io.Writer) *HarmlessLines { return &HarmlessLines{w: w} }

// Flush passes on a last line without an end.
func (h *HarmlessLines) Flush() error {
	_, err := h.w.Write(harmlessJSON(h.rest))
	h.rest = nil
	return err
}
