package text

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"hardshell/tools/secret"
)

// Window picks lines of a file of any size in bounded memory.
type Window struct {
	from, most int
	bytes      int // most bytes
	byBytes    bool
	limits     Limits
	redactor   *secret.Redactor
	asked      int
	kept       []byte
	lineAt     int // where in kept the current line begins
	lines      int // lines of the whole file
	shown      int
	broken     bool // the only line shown is longer than the limit
	crlf, bom  bool
	repaired   bool
	Sum        hash.Hash // of the whole file, where it is told
}

// NewWindow is a window of most lines from line from on, counted from 1; zero stands for
// the first line and for as many lines as the limits allow.
func NewWindow(from, most int, l Limits, m *secret.Redactor) *Window {
	l = l.OrDefault()
	w := &Window{from: max(from, 1), most: l.OutputLines, bytes: l.OutputBytes, limits: l, asked: most, redactor: m}
	if most > 0 {
		w.most = min(most, l.OutputLines)
	}
	return w
}

// Scan reads the whole file once and keeps the lines that are wanted.
func (w *Window) Scan(ctx context.Context, r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	start := true // at the start of a line
	for {
		piece, err := in.ReadSlice('\n')
		if len(piece) > 0 {
			if start {
				w.lines++
			}
			w.take(string(piece), start)
			start = piece[len(piece)-1] == '\n'
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// take keeps a piece of the current line if that line is wanted and fits.
func (w *Window) take(piece string, start bool) {
	if w.lines == 1 && start && strings.HasPrefix(piece, "\ufeff") {
		w.bom, piece = true, strings.TrimPrefix(piece, "\ufeff")
	}
	if strings.HasSuffix(piece, "\r\n") {
		w.crlf, piece = true, strings.TrimSuffix(piece, "\r\n")+"\n"
	}
	if w.byBytes || w.lines < w.from || w.lines >= w.from+w.most {
		return
	}
	if valid := strings.ToValidUTF8(piece, "\uFFFD"); valid != piece {
		w.repaired, piece = true, valid
	}
	if start {
		w.shown, w.lineAt = w.shown+1, len(w.kept)
	}
	w.kept = append(w.kept, piece...)
	if len(w.kept) <= w.bytes {
		return
	}
	w.byBytes = true
	if w.broken = w.shown == 1; w.broken { // the only line is longer than the limit
		cut := w.redactor.Redact(trimBroken(string(w.kept[:w.bytes])))
		w.kept = []byte(cut[:len(cut)-w.redactor.Pending(cut)]) // no start of a secret
		return
	}
	w.kept, w.shown = w.kept[:w.lineAt], w.shown-1
}

// Text gives the lines and, behind them, what a reader has to know.
func (w *Window) Text(path string) (text, cut string) {
	var notes []string
	switch {
	case w.lines == 0:
		notes = append(notes, path+" is empty")
	case w.from > w.lines:
		notes = append(notes, fmt.Sprintf("%s has %d lines, offset %d is behind its end", path, w.lines, w.from))
	case w.from > 1 || w.shown < w.lines || w.broken:
		notes = append(notes, fmt.Sprintf("lines %d-%d of %d", w.from, w.from+w.shown-1, w.lines))
		if w.from+w.shown-1 < w.lines {
			notes[0] += fmt.Sprintf("; go on with offset %d", w.from+w.shown)
		}
		if key := w.limit(); key != "" {
			cut = notes[0] + " (limit " + key + ")"
			notes[0] = cut
		}
	}
	if w.broken {
		notes = append(notes, fmt.Sprintf("line %d is longer than exec.output_bytes = %d and is cut", w.from, w.bytes))
		cut = strings.Join(notes, "; ")
	}
	if w.crlf {
		notes = append(notes, "lines end in CRLF; write and edit keep that")
	}
	if w.bom {
		notes = append(notes, "begins with a byte order mark, not shown")
	}
	if w.repaired {
		notes = append(notes, "bytes that are no UTF-8 are shown as \uFFFD")
	}
	if w.Sum != nil {
		notes = append(notes, fmt.Sprintf("sha256 %.6x", w.Sum.Sum(nil)))
	}
	text = string(w.kept)
	if len(notes) > 0 {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += "[" + strings.Join(notes, "; ") + "]"
	}
	return text, cut
}

// limit names the limit that bit, if one did.
func (w *Window) limit() string {
	switch {
	case w.from+w.shown-1 >= w.lines:
		return ""
	case w.byBytes:
		return fmt.Sprintf("exec.output_bytes = %d", w.bytes)
	case w.asked == 0 || w.asked > w.limits.OutputLines:
		return fmt.Sprintf("exec.output_lines = %d", w.limits.OutputLines)
	}
	return ""
}
