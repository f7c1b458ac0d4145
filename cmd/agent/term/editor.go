package term

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"hardshell/runtime/event"

	xterm "golang.org/x/term"
)

// ErrInterrupt is Ctrl-C at the prompt.
var ErrInterrupt = errors.New("interrupt")

// Editor reads messages at a terminal: with line editing, history and pasted
// lines kept together. Between two reads the terminal is as it was, so that
// Ctrl-C during a turn arrives as a signal.
type Editor struct {
	in   *os.File
	keys *keys

	mu   sync.Mutex // guards term against Write
	term *xterm.Terminal
}

// NewEditor gives an editor for a terminal.
func NewEditor(in *os.File, out io.Writer, h xterm.History) *Editor {
	e := &Editor{in: in, keys: &keys{in: in, out: out}}
	e.renew(h)
	return e
}

// renew begins with an empty line. It is needed after Ctrl-C, which the line
// editor would find again at its next read.
func (e *Editor) renew(h xterm.History) {
	t := xterm.NewTerminal(e.keys, "> ")
	t.History = h
	e.mu.Lock()
	defer e.mu.Unlock()
	e.term = t
}

// Write shows whole lines above the one that is being typed. It may be called at any
// time.
func (e *Editor) Write(p []byte) (int, error) {
	e.mu.Lock()
	t := e.term
	e.mu.Unlock()
	return t.Write(p)
}

// Read gives the next message, io.EOF at Ctrl-D and ErrInterrupt at Ctrl-C.
func (e *Editor) Read() (string, error) {
	fd := int(e.in.Fd())
	state, err := xterm.MakeRaw(fd)
	if err != nil {
		return "", event.Errorf("terminal", "run agent chat with stdin from a file or a pipe", "the terminal can't be set up for editing: %v", err)
	}
	defer func() { _ = xterm.Restore(fd, state) }()
	if w, h, err := xterm.GetSize(fd); err == nil && w > 0 {
		_ = e.term.SetSize(w, h)
	}
	e.term.SetBracketedPasteMode(true)
	defer e.term.SetBracketedPasteMode(false)
	e.keys.interrupted = false
	var pasted []string
	for {
		line, err := e.term.ReadLine()
		switch {
		case errors.Is(err, xterm.ErrPasteIndicator):
			pasted = append(pasted, line)
			continue
		case errors.Is(err, io.EOF) && e.keys.interrupted:
			fmt.Fprint(e.term, "^C\n")
			e.renew(e.term.History)
			return "", ErrInterrupt
		case errors.Is(err, io.EOF):
			fmt.Fprint(e.term, "\n")
			return "", io.EOF
		case err != nil:
			return "", event.Errorf("terminal", "", "the terminal can't be read: %v", err)
		}
		return strings.Join(append(pasted, line), "\n"), nil
	}
}

// keys is the terminal's keyboard and screen; it notices Ctrl-C, which the line
// editor reports as an end of input.
type keys struct {
	in          io.Reader
	out         io.Writer
	interrupted bool
}

// Read reads what was typed.
func (k *keys) Read(p []byte) (int, error) {
	n, err := k.in.Read(p)
	if bytes.IndexByte(p[:n], 3) >= 0 {
		k.interrupted = true
	}
	return n, err
}

// Write draws.
func (k *keys) Write(p []byte) (int, error) { return k.out.Write(p) }

// wholeLines hands text on line by line.
type wholeLines struct {
	to  io.Writer
	buf []byte
}

func (w *wholeLines) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	i := bytes.LastIndexByte(w.buf, '\n') + 1
	if i == 0 {
		return len(p), nil
	}
	_, err := w.to.Write(w.buf[:i])
	w.buf = append(w.buf[:0], w.buf[i:]...)
	return len(p), err
}
