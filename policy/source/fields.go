package source

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/wording"
)

// Keys refuses the keys of a table that nobody knows.
func (d *Document) Keys(t *Node, where string, known ...string) {
	for _, f := range t.keys {
		if !slices.Contains(known, f.name) {
			d.Fail(f.at, fmt.Sprintf("%s has no key %q%s", where, f.name, wording.DidYouMean(f.name, known)))
		}
	}
}

// Want checks the type of a value.
func (d *Document) Want(n *Node, k Type, key string) bool {
	if n.Kind != k {
		d.Fail(n.At, fmt.Sprintf("%s has to be %s, and this is %s", key, kindNames[k], kindNames[n.Kind]))
		return false
	}
	return true
}

// Text reads a string, empty when it is missing.
func (d *Document) Text(t *Node, key string) string {
	n := t.Get(key)
	if n == nil || !d.Want(n, String, key) {
		return ""
	}
	return n.Text
}

// Yes reads true or false.
func (d *Document) Yes(t *Node, key string, missing bool) bool {
	n := t.Get(key)
	if n == nil || !d.Want(n, Bool, key) {
		return missing
	}
	return n.yes
}

// List reads a list of strings.
func (d *Document) List(t *Node, key string) []string {
	n := t.Get(key)
	if n == nil || !d.Want(n, Array, key) {
		return nil
	}
	out := make([]string, len(n.Items))
	for i, item := range n.Items {
		if item.Kind == String || d.Want(item, String, "an entry of "+key) {
			out[i] = item.Text
		}
	}
	return out
}

// Tables reads a list of tables: [[key]].
func (d *Document) Tables(t *Node, key string) []*Node {
	n := t.Get(key)
	if n == nil {
		return nil
	}
	if n.Kind != Array {
		d.Fail(n.At, fmt.Sprintf("%s is a list of tables: write [[%s]]", key, key))
		return nil
	}
	return slices.DeleteFunc(slices.Clone(n.Items), func(item *Node) bool { return !d.Want(item, Table, "an entry of "+key) })
}

// Why reads the reason that every rule must have.
func (d *Document) Why(t *Node) string {
	s := d.Text(t, "why")
	if n := t.Get("why"); strings.TrimSpace(s) == "" && (n == nil || n.Kind == String) {
		d.Fail(t.At, "why is missing: say in a few words what the rule is good for")
	}
	return s
}

// ID reads a rule's id or makes one, and refuses doubles.
func (d *Document) ID(t *Node, prefix, otherwise string) string {
	id, at := d.Text(t, "id"), t.At
	if n := t.Get("id"); n != nil {
		at = n.At
		if n.Kind == String && !argv.PlainName(id) {
			d.Fail(at, fmt.Sprintf("%q is no id: letters, digits, dots and dashes", id))
			return prefix
		}
	}
	if id == "" {
		id = otherwise
	}
	id = prefix + strings.TrimPrefix(id, prefix)
	if d.ids[id] {
		d.Fail(at, fmt.Sprintf("there is already a rule %s; give this one an id of its own", id))
	}
	d.ids[id] = true
	return id
}
