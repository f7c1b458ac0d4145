package model

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"hardshell/runtime/message"
)

// sayHead is what comes before the words of an envelope. A weak model pads with white
// space wherever it may.
var sayHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t\r\n]*\{[ \t\r\n]*"say"[ \t\r\n]*:[ \t\r\n]*"`)
})

// errNoEnvelope is an answer that is no envelope.
var errNoEnvelope = errors.New("it is neither words nor one call")

// opener reads an envelope as it arrives: words at once, a call when it is whole.
type opener struct {
	raw    string // all that came
	at     int    // bytes of raw that are said, 0 before the words begin
	said   string // the words so far
	closed bool   // no more words will come
}

// write takes a piece and gives what of the words is certain now.
func (o *opener) write(piece string) string {
	o.raw += piece
	if o.at == 0 {
		head := sayHead().FindString(o.raw)
		if head == "" {
			return ""
		}
		o.at = len(head)
	}
	if o.closed {
		return ""
	}
	n, closed := certain(o.raw[o.at:])
	o.closed = closed
	var words string
	if json.Unmarshal([]byte(`"`+o.raw[o.at:o.at+n]+`"`), &words) != nil {
		o.closed = true // open will say so
		return ""
	}
	o.at += n
	o.said += words
	return words
}

// certain counts the leading bytes of a JSON string's inside that mean the same
// whatever follows them; closed is true when its closing quote comes next.
func certain(in string) (n int, closed bool) {
	for n < len(in) {
		size := 0
		switch {
		case in[n] == '"':
			return n, true
		case in[n] == '\\':
			size = escape(in[n:])
		case utf8.FullRuneInString(in[n:]):
			_, size = utf8.DecodeRuneInString(in[n:])
		}
		if size == 0 {
			return n, false
		}
		n += size
	}
	return n, false
}

// escape is the length of the escape that a text begins with; 0 while it, or the other
// half of its letter, has not come.
func escape(in string) int {
	switch {
	case len(in) < 2:
		return 0
	case in[1] != 'u':
		return 2
	case len(in) < 6:
		return 0
	}
	rest := in[6:]
	n, err := strconv.ParseUint(in[2:6], 16, 32)
	if err == nil && n >= 0xD800 && n <= 0xDBFF && // half a letter, whose other half may follow
		(strings.HasPrefix(`\u`, rest) || strings.HasPrefix(rest, `\u`) && len(rest) < 6) {
		return 0
	}
	return 6
}

// open reads the whole: the words that write did not give yet, or the call. White
// space may stand around it, and nothing else.
func (o *opener) open() (rest string, call *message.Call, err error) {
	if !json.Valid([]byte(o.raw)) {
		return "", nil, errNoEnvelope
	}
	fs, err := fields(json.RawMessage(o.raw))
	if err != nil {
		return "", nil, errNoEnvelope
	}
	var words, name string
	switch {
	case len(fs) == 1 && fs[0].key == "say" && readText(fs[0], &words):
		rest, ok := strings.CutPrefix(words, o.said)
		if !ok {
			return "", nil, errNoEnvelope
		}
		return rest, nil, nil
	case len(fs) == 2 && fs[0].key == "tool" && readText(fs[0], &name) && fs[1].key == "args" && fs[1].raw[0] == '{':
		return "", &message.Call{Name: name, Args: fs[1].raw}, nil
	}
	return "", nil, errNoEnvelope
}

// readText reads a member that is a text.
func readText(f field, into *string) bool {
	return f.raw[0] == '"' && json.Unmarshal(f.raw, into) == nil
}
