package reply

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// The words by which a model says that there is nothing to say, in runs that no
// person began. In a person's own turn they are text like any other.
const (
	noReply     = "NO_REPLY"
	heartbeatOK = "HEARTBEAT_OK"
)

// ackRest is how many characters may stand beside HEARTBEAT_OK for it to count as
// nothing to say.
const ackRest = 300

// blanks is white space as a model writes it around a word.
const blanks = " \t\r\n"

// Deliver is what of a whole reply is delivered; silent says that nothing is.
func (r Rules) Deliver(text string) (out string, silent bool) {
	switch {
	case r.Silence && strings.EqualFold(strings.Trim(text, blanks), noReply):
		return "", true
	case r.Heartbeat:
		return acknowledged(text)
	}
	return text, false
}

// mayBeSilence reports whether a text, blanks before it gone, is NO_REPLY or may
// still become it.
func mayBeSilence(head string) bool {
	head = strings.TrimRight(head, blanks)
	return len(head) <= len(noReply) && strings.EqualFold(head, noReply[:len(head)])
}

// acks find HEARTBEAT_OK at the start and at the end of a reply, with the markup
// that models put around a word and a few marks behind it.
var acks = sync.OnceValue(func() []*regexp.Regexp {
	word := heartbeatOK + "[*_~`\"']*[.!?,;:\u2026-]{0,4}[*_~`\"']*"
	return []*regexp.Regexp{
		regexp.MustCompile("^[\\s*_~`>#\"']*" + word + "(\\s+|$)"),
		regexp.MustCompile("(^|\\s)[*_~`\"']*" + word + "\\s*$"),
	}
})

// acknowledged applies the rule of heartbeats: the word at the start or at the end,
// with little beside it, is silence; with more beside it that is delivered, without
// the word; anywhere else it is text.
func acknowledged(text string) (out string, silent bool) {
	for _, at := range acks() {
		if found := at.FindStringIndex(text); found != nil {
			rest := strings.Trim(text[:found[0]]+text[found[1]:], blanks)
			if utf8.RuneCountInString(rest) <= ackRest {
				return "", true
			}
			return rest, false
		}
	}
	return text, false
}
