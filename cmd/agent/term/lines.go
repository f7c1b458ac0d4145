package term

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"hardshell/runtime/event"
)

// Lines reads messages, one a line, from a stream that is no terminal.
type Lines struct {
	r     *bufio.Reader
	limit int // the largest message in bytes
}

// NewLines reads messages of at most limit bytes.
func NewLines(r io.Reader, limit int) Lines { return Lines{bufio.NewReader(r), limit} }

// Read gives the next line without its end; io.EOF when there is none. Of a line
// that is longer than the limit, one byte more than the limit is given, and the
// next read begins with the next line.
func (l Lines) Read() (string, error) {
	var b strings.Builder
	for {
		part, err := l.r.ReadSlice('\n')
		if room := l.limit + 1 - b.Len(); room > 0 {
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
