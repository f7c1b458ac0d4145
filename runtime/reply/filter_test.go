package reply

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
)

// filtering is a reply of a run whose shown text goes to a builder.
func filtering(run string, tags bool, out *strings.Builder) *Filter {
	return RulesOf(run, tags, "").Filter(func(s string) { out.WriteString(s) }, func(event.Chunk) {})
}

// shownOf is what a person sees of a reply that comes in these pieces.
func shownOf(run string, tags bool, pieces []string) (string, []string) {
	var out strings.Builder
	f := filtering(run, tags, &out)
	whole := ""
	for _, p := range pieces {
		whole += p
		f.Text(p)
	}
	f.End(whole, false)
	return out.String(), f.Files()
}

// inPieces cuts a text into pieces whose sizes a number chooses.
func inPieces(text string, seed uint64) []string {
	var out []string
	for text != "" {
		n := min(len(text), 1+int(seed%7))
		seed = seed>>3 ^ seed<<11 ^ uint64(len(text))
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// FuzzSpeech holds that the cutting of a reply changes nothing of what is shown and
// attached, that it is what the turn's answer says, and that a person's own turn
// shows every reply.
func FuzzSpeech(f *testing.F) {
	for _, s := range []string{
		"NO_REPLY", " no_reply\n", "NO_REPLY.", "NO_REPLY is what I answer", "NO_REP", "NO", "HEARTBEAT_OK", "**HEARTBEAT_OK**.\n\nfine", "fine HEARTBEAT_OK",
		"it says HEARTBEAT_OK here", "{\"a\":1}", "[[reply:t3]] yes", "[[reply_to_current]][[reply:1]]\nyes", "[[reply", "a\n[[file:scope.png]]\nb", "  [[file: a b.wav ]]",
		"```\n[[file:x]]\n```\n[[file:y]]", "[[file:x", "[[file:x]] is how", "\n\nx\n", "``` js\nx", "[[note]] x", "x [[file:a]]", "[[reply:1]] [[file:x]]",
	} {
		f.Add(s, uint64(12345), uint8(7))
	}
	runs := []string{"chat", "cron", "heartbeat", "wake", "announce", "sub"}
	f.Fuzz(func(t *testing.T, text string, seed uint64, kind uint8) {
		run, tags := runs[int(kind>>1)%len(runs)], kind&1 == 1
		whole, files := shownOf(run, tags, []string{text})
		cut, cutFiles := shownOf(run, tags, inPieces(text, seed))
		if whole != cut || !slices.Equal(files, cutFiles) {
			t.Fatalf("%s, tags %v: whole %q %q, cut %q %q", run, tags, whole, files, cut, cutFiles)
		}
		rules := RulesOf(run, tags, "")
		said, silent := rules.Deliver(text)
		if got := rules.WithoutDirectives(said); got != whole {
			t.Fatalf("%s, tags %v: shown %q, answered %q", run, tags, whole, got)
		}
		if silent && whole != "" {
			t.Fatalf("silent, and %q is shown", whole)
		}
		if !tags && (run == "chat" || run == "sub") && whole != text {
			t.Fatalf("a reply to a person changed: %q became %q", text, whole)
		}
	})
}

func TestSilence(t *testing.T) {
	long := strings.Repeat("é", ackRest)
	for _, c := range []struct {
		run, text, shown string
		silent           bool
	}{
		{"wake", "NO_REPLY", "", true},
		{"cron", " \nno_reply\t", "", true},
		{"announce", "NO_REPLY", "", true},
		{"heartbeat", "NO_REPLY", "", true},
		{"wake", "NO_REPLY: the build is fine", "NO_REPLY: the build is fine", false},
		{"wake", "The build is fine. NO_REPLY", "The build is fine. NO_REPLY", false},
		{"wake", "NO_REP", "NO_REP", false},
		{"wake", "NO", "NO", false},
		{"chat", "NO_REPLY", "NO_REPLY", false},
		{"chat", "NO", "NO", false},
		{"sub", "NO_REPLY", "NO_REPLY", false},
		{"", "NO_REPLY", "NO_REPLY", false},
		{"heartbeat", "HEARTBEAT_OK", "", true},
		{"heartbeat", "**HEARTBEAT_OK**!!", "", true},
		{"heartbeat", "All fine.\nHEARTBEAT_OK.", "", true},
		{"heartbeat", "HEARTBEAT_OK " + long, "", true},
		{"heartbeat", "HEARTBEAT_OK\n" + long + "x", long + "x", false},
		{"heartbeat", long + "x HEARTBEAT_OK", long + "x", false},
		{"heartbeat", "I would answer HEARTBEAT_OK but the fan stands", "I would answer HEARTBEAT_OK but the fan stands", false},
		{"heartbeat", "HEARTBEAT_OKAY", "HEARTBEAT_OKAY", false},
		{"heartbeat", "HEARTBEAT_OK.....", "HEARTBEAT_OK.....", false},
		{"heartbeat", "The fan stands.", "The fan stands.", false},
		{"wake", "HEARTBEAT_OK", "HEARTBEAT_OK", false},
		{"chat", "HEARTBEAT_OK", "HEARTBEAT_OK", false},
	} {
		if got, silent := RulesOf(c.run, false, "").Deliver(c.text); got != c.shown || silent != c.silent {
			t.Errorf("%s %.40q: %.40q, silent %v", c.run, c.text, got, silent)
		}
	}
}

// TestSilenceStreams holds how early text is let out: prose at once, what may still
// be silence not before it shows what it is.
func TestSilenceStreams(t *testing.T) {
	for _, c := range []struct{ run, text, before string }{
		{"wake", "The", "The"},
		{"wake", " no_re", ""},
		{"wake", "NO_REPLY", ""},
		{"wake", "NO_REPLY\n ", ""},
		{"wake", "NO_REPLY i", "NO_REPLY i"},
		{"wake", "NO_W", "NO_W"},
		{"chat", "NO_RE", "NO_RE"},
		{"heartbeat", "The fan stands.", ""},
	} {
		var out strings.Builder
		f := filtering(c.run, false, &out)
		for _, p := range inPieces(c.text, 1) {
			f.Text(p)
		}
		if out.String() != c.before {
			t.Errorf("%s %q: %q is shown already", c.run, c.text, out.String())
		}
	}
}

func TestDirectives(t *testing.T) {
	for _, c := range []struct {
		text, shown string
		files       []string
	}{
		{"plain", "plain", nil},
		{"Here it is.\n[[file:notes/scope.png]]\nBye.", "Here it is.\nBye.", []string{"notes/scope.png"}},
		{"[[file: a b.wav ]]", "", []string{"a b.wav"}},
		{"[[file:a]]\n  [[file:b]]\r\ndone", "done", []string{"a", "b"}},
		{"see [[file:a]]", "see [[file:a]]", nil},
		{"[[file:a]] is it", "[[file:a]] is it", nil},
		{"[[file:]]\nx", "[[file:]]\nx", nil},
		{"```\n[[file:a]]\n```\n[[file:b]]\n", "```\n[[file:a]]\n```\n", []string{"b"}},
		{"[[reply:t3]] Yes.", "Yes.", nil},
		{"\n[[reply_to_current]]\nYes.\n", "Yes.\n", nil},
		{"[[reply_to: 7]][[file:a]]\nYes.", "Yes.", []string{"a"}},
		{"Yes, [[reply:t3]] is a mark", "Yes, [[reply:t3]] is a mark", nil},
		{"[[replying]] x", "[[replying]] x", nil},
	} {
		shown, files := shownOf("chat", true, []string{c.text})
		if d := cmp.Diff(c.files, files); shown != c.shown || d != "" {
			t.Errorf("%q: %q %s", c.text, shown, d)
		}
		if shown, files := shownOf("chat", false, []string{c.text}); shown != c.text || files != nil {
			t.Errorf("%q: switched off, and %q %q", c.text, shown, files)
		}
	}
}
