package main

import (
	"io"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/event"
)

// printed keeps the first fault of what went to stdout, so that output that a full
// disk or a closed stream swallowed does not end as a success.
type printed struct {
	w   io.Writer
	err error
}

func (w *printed) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

// End is a command's exit code, once it is known that all of its output is out.
func (w *printed) end(code int, stderr io.Writer) int {
	if w.err == nil || code != exitDone {
		return code
	}
	// Where errors go to stdout as well, nobody would read this one.
	term.Report(event.Problem{
		Code: "output_lost", Message: "what was to be said did not get out: " + w.err.Error(),
		Hint: "give stdout a place with room; what was done is done, agent audit tail shows it",
	}, false, io.Discard, stderr)
	return exitFailed
}
