package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

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

// lines reads messages, one a line, from a stream that is no terminal.
type lines struct {
	r     *bufio.Reader
	limit config.ByteSize
}

// read gives the next line without its end; io.EOF when there is none. Of a line
// that is longer than the limit, one byte more than the limit is given, and the
// next read begins with the next line.
func (l lines) read() (string, error) {
	var b strings.Builder
	for {
		part, err := l.r.ReadSlice('\n')
		if room := int(l.limit) + 1 - b.Len(); room > 0 {
			b.Write(part[:min(room, len(part))])
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil, errors.Is(err, io.EOF) && b.Len() > 0:
			return strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), "\r"), nil
		case errors.Is(err, io.EOF):
			return "", io.EOF
		}
		return "", event.Errorf("stdin", "", "messages can't be read from stdin: %v", err)
	}
}
