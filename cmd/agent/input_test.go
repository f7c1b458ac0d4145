package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/config"
)

func TestLines(t *testing.T) {
	const limit = 8
	big := strings.Repeat("x", 5000)
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"none", "", nil},
		{"one", "a\n", []string{"a"}},
		{"no line end", "a\nb", []string{"a", "b"}},
		{"windows", "a\r\nb\r\n", []string{"a", "b"}},
		{"empty lines", "\n\na\n", []string{"", "", "a"}},
		{"exactly the limit", "12345678\nb\n", []string{"12345678", "b"}},
		{"over the limit", "123456789abc\nb\n", []string{"123456789", "b"}},
		{"far over, in several reads", big + "\nb\n", []string{"xxxxxxxxx", "b"}},
	} {
		l := lines{bufio.NewReaderSize(strings.NewReader(tt.in), 16), limit}
		var got []string
		for {
			s, err := l.read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, s)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func TestCheckQuestion(t *testing.T) {
	const limit = config.ByteSize(8)
	for _, tt := range []struct{ in, code, text string }{
		{"hello", "", ""},
		{"grün", "", ""},
		{"12345678", "", ""},
		{"", "empty_question", "the question is empty"},
		{" \t\n", "empty_question", "the question is empty"},
		{"123456789", "question_too_long", "the question has more than 8 bytes and turn.max_question allows 8"},
		{"1234567890", "question_too_long", "the question has 10 bytes and turn.max_question allows 8"},
		{"a\xffb", "not_utf8", "the question is not UTF-8 text (first bad byte at 1)"},
		{"ab\xc3", "not_utf8", "the question is not UTF-8 text (first bad byte at 2)"},
	} {
		err := checkQuestion(tt.in, limit)
		if tt.code == "" {
			if err != nil {
				t.Errorf("%q: %v", tt.in, err)
			}
			continue
		}
		p, exit := judge(err)
		if p.Code != tt.code || p.Message != tt.text || p.Hint == "" || exit != exitUsage {
			t.Errorf("%q: exit %d, %+v", tt.in, exit, p)
		}
	}
}

func TestSlash(t *testing.T) {
	for _, tt := range []struct {
		in, name, arg string
		ok            bool
	}{
		{"/status", "status", "", true},
		{"/new  now ", "new", "now", true},
		{"/etc/hosts says what?", "", "", false},
		{" /status", "", "", false},
		{"/", "", "", false},
		{"/1", "", "", false},
		{"what is / for", "", "", false},
	} {
		name, arg, ok := slash(tt.in)
		if name != tt.name || arg != tt.arg || ok != tt.ok {
			t.Errorf("%q: %q %q %v", tt.in, name, arg, ok)
		}
	}
}

func TestHistory(t *testing.T) {
	dir := t.TempDir()
	h := openHistory(dir, 3, nil)
	for _, s := range []string{"one", "two", "two", "", "many\nlines", "four"} {
		h.Add(s)
	}
	check := func(h *history, want ...string) {
		t.Helper()
		var got []string
		for i := range h.Len() {
			got = append(got, h.At(i))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	check(h, "four", "many\nlines", "two")
	again := openHistory(dir, 3, nil)
	check(again, "four", "many\nlines", "two")
	for range 4 {
		again.Add("x")
		again.Add("y")
	}
	check(openHistory(dir, 3, nil), "y", "x", "y")
	b, err := os.ReadFile(filepath.Join(dir, historyFile))
	if err != nil || strings.Count(string(b), "\n") != 3 {
		t.Errorf("the file was not cut down: %v, %q", err, b)
	}
	if st, err := os.Stat(filepath.Join(dir, historyFile)); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("others can read what was typed: %v %v", st.Mode(), err)
	}
	none := openHistory(dir, 0, nil)
	none.Add("secret")
	check(none)
	lost := openHistory(filepath.Join(dir, "missing"), 3, nil)
	lost.Add("kept in memory")
	if lost.err == nil || lost.Len() != 1 {
		t.Errorf("a folder that is not there: %v, %d", lost.err, lost.Len())
	}
	if err := os.WriteFile(filepath.Join(dir, historyFile), []byte("\"a\"\nrubbish\n\"b\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(openHistory(dir, 3, nil), "b", "a")
}
