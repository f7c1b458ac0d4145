package config

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// file is a config file on its way to a Config.
type file struct {
	name string
	src  []byte
	// values is the decoded document.
	values map[string]any
	// places tells where each dotted key stands; the tables of an array are
	// numbered: agent.0.id.
	places map[string]place
}

// place is where a key stands in the file.
type place struct {
	line, column, width int
	source              string
}

// bom is the mark that some editors put at the start of a file.
var bom = []byte("\ufeff")

// parse reads TOML. Only faults of form come back; names and types are looked
// at later, all at once.
func parse(name string, src []byte) (*file, *Error) {
	if len(src) == 0 {
		return nil, &Error{File: name, Problems: []Fault{{
			Line: 1, Column: 1,
			Text: "line 1, column 1: the file is empty, as a write that was cut short leaves it: delete it and run agent init, or put at least a comment into it",
		}}}
	}
	f := &file{name: name, src: bytes.TrimPrefix(src, bom), values: map[string]any{}, places: map[string]place{}}
	if err := toml.Unmarshal(f.src, &f.values); err != nil {
		return nil, &Error{File: name, Problems: []Fault{f.syntax(err)}}
	}
	f.walk()
	return f, nil
}

// syntax is a fault of form as a problem.
func (f *file) syntax(err error) Fault {
	text := strings.TrimPrefix(err.Error(), "toml: ")
	var d *toml.DecodeError
	if !errors.As(err, &d) {
		return Fault{Text: text + ": correct the file's TOML"}
	}
	row, col := d.Position()
	lines := strings.Split(string(f.src), "\n")
	source := ""
	if row >= 1 && row <= len(lines) {
		source = strings.TrimSuffix(lines[row-1], "\r")
	}
	// The library counts bytes; people count characters.
	col = utf8.RuneCountInString(source[:min(max(col-1, 0), len(source))]) + 1
	p := Fault{Line: max(row, 1), Column: col, source: source, width: 1}
	p.Text = position(p.Line, p.Column) + ": " + clean(text) + ": correct the file's TOML"
	return p
}

// walk notes where each key stands.
func (f *file) walk() {
	var p unstable.Parser
	p.Reset(f.src)
	table := ""
	count := map[string]int{}
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table:
			table = f.key("", e.Key(), count)
		case unstable.ArrayTable:
			name := f.key("", e.Key(), nil)
			count[name]++
			table = f.key("", e.Key(), count)
		case unstable.KeyValue:
			f.keyValue(table, e, count)
		}
	}
}

// keyValue notes one key, and the keys of an inline table behind it.
func (f *file) keyValue(table string, e *unstable.Node, count map[string]int) {
	name := f.key(table, e.Key(), count)
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			f.keyValue(name, it.Node(), count)
		}
	}
}

// key joins the parts of a key to a dotted name under a table and notes the place
// of each part that is new. Parts that name an array of tables carry the number
// of its latest table, where count is given.
func (f *file) key(table string, it unstable.Iterator, count map[string]int) string {
	name := table
	for it.Next() {
		n := it.Node()
		if name != "" {
			name += "."
		}
		name += string(n.Data)
		if _, known := f.places[name]; !known {
			f.places[name] = f.placeOf(int(n.Raw.Offset), int(n.Raw.Length))
		}
		if k := count[name]; k > 0 {
			name = indexed(name, k-1)
			if _, known := f.places[name]; !known {
				f.places[name] = f.placeOf(int(n.Raw.Offset), int(n.Raw.Length))
			}
		}
	}
	return name
}

// placeOf turns a range of bytes into line and column.
func (f *file) placeOf(offset, length int) place {
	head := f.src[:offset]
	start := bytes.LastIndexByte(head, '\n') + 1
	line := f.src[start:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	return place{
		line: bytes.Count(head, []byte("\n")) + 1, column: utf8.RuneCount(f.src[start:offset]) + 1,
		width:  utf8.RuneCount(f.src[offset : offset+length]),
		source: strings.TrimSuffix(string(line), "\r"),
	}
}

// problem is a fault of one key, with its place where the file has it.
func (f *file) problem(key, text string) Fault {
	p := Fault{Key: key, Text: text}
	if at, ok := f.places[key]; ok {
		p.Line, p.Column, p.source, p.width = at.line, at.column, at.source, at.width
	}
	return p
}
