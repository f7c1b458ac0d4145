package policy

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// nodeKind is the type of a value in the policy file.
type nodeKind uint8

const (
	isOther nodeKind = iota // dates, floats: no key takes one
	isString
	isInt
	isBool
	isArray
	isTable
)

var kindNames = map[nodeKind]string{
	isOther: "a value that no key takes", isString: "a string", isInt: "a whole number",
	isBool: "true or false", isArray: "a list", isTable: "a table",
}

// node is one value of the policy file with its place.
type node struct {
	kind  nodeKind
	text  string
	num   int64
	yes   bool
	items []*node
	keys  []field
	at    span
}

// field is one key of a table.
type field struct {
	name string
	at   span
	val  *node
}

// get is the value of a key, nil when the table hasn't got it.
func (n *node) get(name string) *node {
	for _, f := range n.keys {
		if f.name == name {
			return f.val
		}
	}
	return nil
}

// readSource parses TOML into a tree that knows where everything stands. The
// decoder of go-toml checks the document (syntax, doubled keys) while its parser
// gives the places; a start waits for both. No tree comes of a document that the
// decoder refuses.
func readSource(src []byte) (*node, *Problem) {
	checked := make(chan *Problem, 1)
	go func() { checked <- checkSource(src) }()
	root, err := tree(src)
	if bad := <-checked; bad != nil {
		return nil, bad
	}
	if err != nil {
		pr := problem(src, span{}, err.Error())
		return nil, &pr
	}
	return root, nil
}

// checkSource says what is wrong with a document, nil when it is TOML.
func checkSource(src []byte) *Problem {
	var ignore map[string]any
	err := toml.Unmarshal(src, &ignore)
	if err == nil {
		return nil
	}
	at := span{}
	var d *toml.DecodeError
	if errors.As(err, &d) {
		row, col := d.Position()
		at = place(src, row, col)
	}
	p := problem(src, at, strings.TrimPrefix(err.Error(), "toml: "))
	return &p
}

// tree is a document as nodes, up to its first fault.
func tree(src []byte) (*node, error) {
	root := &node{kind: isTable}
	table := root
	var p unstable.Parser
	p.Reset(src)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			table = descend(root, e.Key(), false)
		case unstable.ArrayTable:
			table = descend(root, e.Key(), true)
		case unstable.KeyValue:
			setValue(&p, table, e)
		}
	}
	return root, p.Error()
}

// place is the byte offset of a row and column that both count from 1.
func place(src []byte, row, col int) span {
	off := 0
	for ; row > 1 && off < len(src); off++ {
		if src[off] == '\n' {
			row--
		}
	}
	return span{min(off+max(col, 1)-1, len(src)), 1}
}

// descend finds or makes the table that a header names; a list of tables is
// entered at its last one, and entry adds one to it.
func descend(t *node, key unstable.Iterator, entry bool) *node {
	for key.Next() {
		k := key.Node()
		at := span{int(k.Raw.Offset), int(k.Raw.Length)}
		next := t.get(string(k.Data))
		last := key.IsLast()
		if next == nil {
			next = &node{kind: isTable, at: at}
			if last && entry {
				next.kind = isArray
			}
			t.keys = append(t.keys, field{string(k.Data), at, next})
		}
		if last && entry {
			next.items = append(next.items, &node{kind: isTable, at: at})
		}
		if next.kind == isArray && len(next.items) > 0 {
			next = next.items[len(next.items)-1]
		}
		t = next
	}
	return t
}

// setValue puts a key and its value into a table, through dotted keys.
func setValue(p *unstable.Parser, t *node, e *unstable.Node) {
	key := e.Key()
	for key.Next() {
		k := key.Node()
		at := span{int(k.Raw.Offset), int(k.Raw.Length)}
		if key.IsLast() {
			t.keys = append(t.keys, field{string(k.Data), at, value(p, e.Value(), at)})
			return
		}
		next := t.get(string(k.Data))
		if next == nil {
			next = &node{kind: isTable, at: at}
			t.keys = append(t.keys, field{string(k.Data), at, next})
		}
		t = next
	}
}

// value turns a parsed value into a node; near is its place when it has none.
func value(p *unstable.Parser, v *unstable.Node, near span) *node {
	n := &node{at: near}
	if v.Raw.Length > 0 {
		n.at = span{int(v.Raw.Offset), int(v.Raw.Length)}
	}
	switch v.Kind {
	case unstable.String:
		n.kind, n.text = isString, string(v.Data)
	case unstable.Bool:
		n.kind, n.yes = isBool, string(v.Data) == "true"
	case unstable.Integer:
		n.kind = isInt
		n.num, _ = strconv.ParseInt(strings.ReplaceAll(string(v.Data), "_", ""), 0, 64)
	case unstable.Array:
		n.kind = isArray
		for it := v.Children(); it.Next(); {
			if c := it.Node(); c.Kind != unstable.Comment {
				n.items = append(n.items, value(p, c, n.at))
			}
		}
	case unstable.InlineTable:
		n.kind = isTable
		for it := v.Children(); it.Next(); {
			if c := it.Node(); c.Kind == unstable.KeyValue {
				setValue(p, n, c)
			}
		}
	}
	return n
}
