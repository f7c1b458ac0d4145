package source

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Type is the type of a value in the policy file.
type Type uint8

// The types of values.
const (
	Other Type = iota // dates, floats: no key takes one
	String
	Int
	Bool
	Array
	Table
)

var kindNames = map[Type]string{
	Other: "a value that no key takes", String: "a string", Int: "a whole number",
	Bool: "true or false", Array: "a list", Table: "a table",
}

// Node is one value of the policy file with its place.
type Node struct {
	Kind  Type
	Text  string
	Int   int64
	yes   bool
	Items []*Node
	keys  []field
	At    Span
}

// field is one key of a table.
type field struct {
	name string
	at   Span
	val  *Node
}

// Get is the value of a key, nil when the table hasn't got it.
func (n *Node) Get(name string) *Node {
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
func readSource(src []byte) (*Node, *Problem) {
	checked := make(chan *Problem, 1)
	go func() { checked <- checkSource(src) }()
	root, err := tree(src)
	if bad := <-checked; bad != nil {
		return nil, bad
	}
	if err != nil {
		pr := problem(src, Span{}, err.Error())
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
	at := Span{}
	var d *toml.DecodeError
	if errors.As(err, &d) {
		row, col := d.Position()
		at = place(src, row, col)
	}
	p := problem(src, at, strings.TrimPrefix(err.Error(), "toml: "))
	return &p
}

// tree is a document as nodes, up to its first fault.
func tree(src []byte) (*Node, error) {
	root := &Node{Kind: Table}
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
func place(src []byte, row, col int) Span {
	off := 0
	for ; row > 1 && off < len(src); off++ {
		if src[off] == '\n' {
			row--
		}
	}
	return Span{min(off+max(col, 1)-1, len(src)), 1}
}

// descend finds or makes the table that a header names; a list of tables is
// entered at its last one, and entry adds one to it.
func descend(t *Node, key unstable.Iterator, entry bool) *Node {
	for key.Next() {
		k := key.Node()
		at := Span{int(k.Raw.Offset), int(k.Raw.Length)}
		next := t.Get(string(k.Data))
		last := key.IsLast()
		if next == nil {
			next = &Node{Kind: Table, At: at}
			if last && entry {
				next.Kind = Array
			}
			t.keys = append(t.keys, field{string(k.Data), at, next})
		}
		if last && entry {
			next.Items = append(next.Items, &Node{Kind: Table, At: at})
		}
		if next.Kind == Array && len(next.Items) > 0 {
			next = next.Items[len(next.Items)-1]
		}
		t = next
	}
	return t
}

// setValue puts a key and its value into a table, through dotted keys.
func setValue(p *unstable.Parser, t *Node, e *unstable.Node) {
	key := e.Key()
	for key.Next() {
		k := key.Node()
		at := Span{int(k.Raw.Offset), int(k.Raw.Length)}
		if key.IsLast() {
			t.keys = append(t.keys, field{string(k.Data), at, value(p, e.Value(), at)})
			return
		}
		next := t.Get(string(k.Data))
		if next == nil {
			next = &Node{Kind: Table, At: at}
			t.keys = append(t.keys, field{string(k.Data), at, next})
		}
		t = next
	}
}

// value turns a parsed value into a node; near is its place when it has none.
func value(p *unstable.Parser, v *unstable.Node, near Span) *Node {
	n := &Node{At: near}
	if v.Raw.Length > 0 {
		n.At = Span{int(v.Raw.Offset), int(v.Raw.Length)}
	}
	switch v.Kind {
	case unstable.String:
		n.Kind, n.Text = String, string(v.Data)
	case unstable.Bool:
		n.Kind, n.yes = Bool, string(v.Data) == "true"
	case unstable.Integer:
		n.Kind = Int
		n.Int, _ = strconv.ParseInt(strings.ReplaceAll(string(v.Data), "_", ""), 0, 64)
	case unstable.Array:
		n.Kind = Array
		for it := v.Children(); it.Next(); {
			if c := it.Node(); c.Kind != unstable.Comment {
				n.Items = append(n.Items, value(p, c, n.At))
			}
		}
	case unstable.InlineTable:
		n.Kind = Table
		for it := v.Children(); it.Next(); {
			if c := it.Node(); c.Kind == unstable.KeyValue {
				setValue(p, n, c)
			}
		}
	}
	return n
}
