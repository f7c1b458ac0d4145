package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll reads a body through the checking reader.
func readAll(in io.Reader) ([]byte, *recorder, error) {
	c := &Client{addr: "http://test"}
	t := &recorder{stream: true}
	r := &reader{rec: t, foreign: c.notOllama, src: bufio.NewReader(in), close: io.NopCloser(in)}
	b, err := io.ReadAll(r)
	return b, t, err
}

// FuzzReader holds what a consumer of a stream relies on: whole JSON objects,
// one a line, whatever arrives; the recorder holds the same lines; damage is an
// error; and the way the bytes are cut into pieces changes nothing.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"", "\n\n", "{}", "{}\n{}\n", "{\"a\":1}\r\n{}", "<html>", "{\"a\":", "{}\n{\"a\":", "[1]\n", "{}\nnull\n", "\x00{}\n", "{\"a\":\"\xff\"}\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, rec, err := readAll(bytes.NewReader(in))
		again, _, err2 := readAll(iotest.OneByteReader(bytes.NewReader(in)))
		if !bytes.Equal(out, again) || (err == nil) != (err2 == nil) {
			t.Fatalf("in one piece %q, %v; byte by byte %q, %v", out, err, again, err2)
		}
		var lines [][]byte
		for l := range bytes.Lines(out) {
			l = bytes.TrimSuffix(l, []byte("\n"))
			if !json.Valid(l) || l[0] != '{' {
				t.Fatalf("line %q got through", l)
			}
			lines = append(lines, l)
		}
		if !slices.EqualFunc(lines, rec.lines, bytes.Equal) || rec.count != len(lines) {
			t.Fatalf("read %q, recorded %q", lines, rec.lines)
		}
		if err == nil && rec.err != nil {
			t.Fatalf("the recorder has error %v, the reader none", rec.err)
		}
		left := bytes.TrimSpace(in)
		if err == nil && len(lines) == 0 && len(left) > 0 {
			t.Fatalf("%q was swallowed", in)
		}
	})
}

func TestReader_LongLines(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", maxLine) + `"}`
	if _, _, err := readAll(strings.NewReader("{}\n" + long + "\n")); !errors.Is(err, errLongLine) {
		t.Errorf("error %v, want %v", err, errLongLine)
	}
	fits := `{"a":"` + strings.Repeat("x", maxLine-64) + `"}`
	if out, _, err := readAll(strings.NewReader(fits)); err != nil || len(out) != len(fits)+1 {
		t.Errorf("%d bytes, error %v", len(out), err)
	}
}

func TestReader_TheSourcesErrorIsKept(t *testing.T) {
	boom := errors.New("boom")
	_, rec, err := readAll(io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(boom)))
	if !errors.Is(err, boom) || !errors.Is(rec.err, boom) {
		t.Errorf("error %v, recorded %v", err, rec.err)
	}
}

// FuzzSplitter holds that chunking changes nothing, that nothing is invented or
// lost but tags and white space, and that no tag is ever shown.
func FuzzSplitter(f *testing.F) {
	for _, s := range []string{
		"<think>check pin</think>Pin J7 is low.", "no marks", "<thi", "<think>", "</think>", "a</think>b", "<think>a", "\n<think>\na\n</think>\n\nb",
		"<think>a</think><final>b</final>", "<think>a<final>b", "<fin", "a<final>b</final>c", "`<final>`",
		"<thinking>a</thinking>b", "`<think>` is a tag", "x < y and <b>z", "<think><think></think></think>", "<thinkx>", "\"</think>\"",
	} {
		f.Add(s, uint8(3))
		f.Add(s, uint8(131))
	}
	f.Fuzz(func(t *testing.T, in string, step uint8) {
		tagged := step >= 128 // half of the tries, asked for both tags
		whole, cut := splitter{tagged: tagged}, splitter{tagged: tagged}
		whole.write(in)
		whole.end()
		n := int(step%7) + 1
		var text, think strings.Builder
		for rest := in; rest != ""; {
			piece := rest[:min(n, len(rest))]
			rest = rest[len(piece):]
			a, b := cut.write(piece)
			text.WriteString(a)
			think.WriteString(b)
		}
		a, b := cut.end()
		text.WriteString(a)
		think.WriteString(b)
		if whole.text.String() != cut.text.String() || whole.think.String() != cut.think.String() {
			t.Fatalf("whole: text %q think %q; in pieces of %d: text %q think %q", &whole.text, &whole.think, n, &cut.text, &cut.think)
		}
		if whole.text.Len()+whole.think.Len() > len(in) {
			t.Fatalf("%q grew to text %q and think %q", in, &whole.text, &whole.think)
		}
		shown := marks
		if tagged {
			shown = append(slices.Clone(marks), answerMark)
		}
		for _, m := range shown {
			for at := 0; ; {
				i := strings.Index(text.String()[at:], m.open)
				if i < 0 {
					break
				}
				at += i
				if at == 0 || !strings.ContainsRune("`\"'", rune(text.String()[at-1])) {
					t.Fatalf("%q shows the tag %s in %q", in, m.open, text.String())
				}
				at++
			}
		}
	})
}

func TestSplitter(t *testing.T) {
	tests := map[string]struct{ text, think string }{
		"Pin J7 is low.":                           {"Pin J7 is low.", ""},
		"<think>check pin</think>Pin J7 is low.":   {"Pin J7 is low.", "check pin"},
		"<think>\na\n</think>\n\n  b\n":            {"b\n", "\na\n"},
		"Wait. <think>a</think> b":                 {"Wait.  b", "a"},
		"<think>a</think>b<think>c</think>d":       {"bd", "ac"},
		"<thinking>a</thinking>b":                  {"b", "a"},
		"<think>never closed":                      {"", "never closed"},
		"<think></think>b":                         {"b", ""},
		"from the template</think>\n\nb":           {"b", "from the template"},
		"`<think>` opens and `</think>` closes it": {"`<think>` opens and `</think>` closes it", ""},
		"1 <2 and <b>":                             {"1 <2 and <b>", ""},
		"ends in <thi":                             {"ends in <thi", ""},
	}
	for in, want := range tests {
		var s splitter
		s.write(in)
		s.end()
		if s.text.String() != want.text || s.think.String() != want.think {
			t.Errorf("%q: text %q think %q, want %q and %q", in, &s.text, &s.think, want.text, want.think)
		}
	}
}

func TestSplitter_TagsThatWereAskedFor(t *testing.T) {
	tests := map[string]struct{ text, think string }{
		"<think>pin</think><final>J7 is low.</final>":     {"J7 is low.", "pin"},
		"<think>pin</think>\n<final>\nJ7 is low.</final>": {"J7 is low.", "pin"},
		"<think>pin <final>J7 is low.":                    {"J7 is low.", "pin "},
		"<think>pin</think>J7 is low.":                    {"J7 is low.", "pin"},
		"J7 is low.":                                      {"J7 is low.", ""},
		"<final>J7</final> is <final>low</final>.":        {"J7 is low.", ""},
		"write `<final>` in front":                        {"write `<final>` in front", ""},
		"<thinking>a</final>b</thinking><final>c</final>": {"c", "a</final>b"},
	}
	for in, want := range tests {
		s := splitter{tagged: true}
		s.write(in)
		s.end()
		if s.text.String() != want.text || s.think.String() != want.think {
			t.Errorf("%q: text %q think %q, want %q and %q", in, &s.text, &s.think, want.text, want.think)
		}
	}
	var s splitter
	s.write("unasked <final>x</final>")
	s.end()
	if got := s.text.String(); got != "unasked <final>x</final>" {
		t.Errorf("tags that nobody asked for are text: %q", got)
	}
}

func TestRescue(t *testing.T) {
	one := `<tool_call>{"name":"a","arguments":{}}</tool_call>`
	tests := map[string]struct{ call, rest string }{
		"":                          {"", ""},
		"just thoughts":             {"", "just thoughts"},
		"hm " + one:                 {one, "hm"},
		"hm " + one + "\n" + one:    {one + "\n" + one, "hm"},
		one:                         {one, ""},
		one + " but first I wonder": {"", one + " but first I wonder"},
		"odd </tool_call>":          {"", "odd </tool_call>"},
	}
	for in, want := range tests {
		call, rest := rescue(in)
		if in != "" && want.call == "" {
			want.rest = in
		}
		if call == "odd" || call != want.call || rest != want.rest {
			t.Errorf("rescue(%q) = %q, %q, want %q, %q", in, call, rest, want.call, want.rest)
		}
	}
}
