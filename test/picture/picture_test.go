package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for in, want := range map[string][]string{
		"":               {""},
		"short":          {"short"},
		"one two three":  {"one two", "three"},
		"äöüäöüäöüäöü x": {"äöüäöüäö", "üäöü x"},
	} {
		if d := cmp.Diff(want, wrap(in, 8)); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
}

func TestDrawIsWellFormedAndWhole(t *testing.T) {
	var b strings.Builder
	if err := draw(strings.NewReader("> a <b> & c\n▌   refused by builtin.power: no\nplain"), &b); err != nil {
		t.Fatal(err)
	}
	var texts []string
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := tok.(xml.CharData); ok && strings.TrimSpace(string(c)) != "" {
			texts = append(texts, string(c))
		}
	}
	if d := cmp.Diff([]string{"agent chat --board=sim", "> a <b> & c", "▌   refused by builtin.power: no", "plain"}, texts); d != "" {
		t.Error(d)
	}
	if fill, _ := style("▌   refused by x"); fill != "#f47067" {
		t.Error("a refusal is not red")
	}
}
