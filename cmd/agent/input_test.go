package main

import (
	"testing"

	"hardshell/runtime/config"
)

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
