package main

import (
	"fmt"
	"io"

	"hardshell/runtime"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

// checkQuestion refuses what can't be a message, before anything is started. A text
// that was not read to its end has one byte more than allowed.
func checkQuestion(text string, limit config.ByteSize) error {
	p := runtime.Ask{Text: text}.Check(int(limit))
	if p == nil {
		return nil
	}
	if len(text) == int(limit)+1 {
		p.Message = fmt.Sprintf("the question has more than %d bytes and turn.max_question allows %[1]d", int64(limit))
	}
	return p
}

// readAll reads a question to its end, or one byte beyond the limit.
func readAll(r io.Reader, limit config.ByteSize) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return "", event.Errorf("stdin", "give the question as an argument", "the question can't be read from stdin: %v", err)
	}
	return string(b), nil
}
