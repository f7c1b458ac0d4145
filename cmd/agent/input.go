package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

// checkQuestion refuses what can't travel to the agent as a message. The agent
// checks again; here it is told before anything is started.
func checkQuestion(text string, limit config.ByteSize) error {
	switch {
	case strings.TrimSpace(text) == "":
		return event.Errorf("empty_question", "say what you want to know, for example: agent ask \"what is in log.txt?\"", "the question is empty")
	case len(text) > int(limit):
		return event.Errorf("question_too_long",
			"put the text into a file of the workspace and ask about the file, or raise turn.max_question in config.toml",
			"the question has %s and turn.max_question allows %d", size(len(text), limit), int64(limit))
	case !utf8.ValidString(text):
		return event.Errorf("not_utf8", "save the text as UTF-8 and ask again", "the question is not UTF-8 text (first bad byte at %d)", firstBad(text))
	}
	return nil
}

// size is the length of a question; a text that was not read to its end has at
// least one byte more than allowed.
func size(n int, limit config.ByteSize) string {
	if n == int(limit)+1 {
		return fmt.Sprintf("more than %d bytes", int64(limit))
	}
	return fmt.Sprintf("%d bytes", n)
}

// firstBad is the offset of the first byte of s that is no UTF-8.
func firstBad(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
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
