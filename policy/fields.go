package policy

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/wording"
)

// keys refuses the keys of a table that nobody knows.
func (r *reader) keys(t *node, where string, known ...string) {
	for _, f := range t.keys {
		if !slices.Contains(known, f.name) {
			r.fail(f.at, fmt.Sprintf("%s has no key %q%s", where, f.name, wording.DidYouMean(f.name, known)))
		}
	}
}

// want checks the type of a value.
func (r *reader) want(n *node, k nodeKind, key string) bool {
	if n.kind != k {
		r.fail(n.at, fmt.Sprintf("%s has to be %s, and this is %s", key, kindNames[k], kindNames[n.kind]))
		return false
	}
	return true
}

// text reads a string, empty when it is missing.
func (r *reader) text(t *node, key string) string {
	n := t.get(key)
	if n == nil || !r.want(n, isString, key) {
		return ""
	}
	return n.text
}

// yes reads true or false.
func (r *reader) yes(t *node, key string, missing bool) bool {
	n := t.get(key)
	if n == nil || !r.want(n, isBool, key) {
		return missing
	}
	return n.yes
}

// list reads a list of strings.
func (r *reader) list(t *node, key string) []string {
	n := t.get(key)
	if n == nil || !r.want(n, isArray, key) {
		return nil
	}
	out := make([]string, len(n.items))
	for i, item := range n.items {
		if item.kind == isString || r.want(item, isString, "an entry of "+key) {
			out[i] = item.text
		}
	}
	return out
}

// tables reads a list of tables: [[key]].
func (r *reader) tables(t *node, key string) []*node {
	n := t.get(key)
	if n == nil {
		return nil
	}
	if n.kind != isArray {
		r.fail(n.at, fmt.Sprintf("%s is a list of tables: write [[%s]]", key, key))
		return nil
	}
	return slices.DeleteFunc(slices.Clone(n.items), func(item *node) bool { return !r.want(item, isTable, "an entry of "+key) })
}

// why reads the reason that every rule must have.
func (r *reader) why(t *node) string {
	s := r.text(t, "why")
	if n := t.get("why"); strings.TrimSpace(s) == "" && (n == nil || n.kind == isString) {
		r.fail(t.at, "why is missing: say in a few words what the rule is good for")
	}
	return s
}

// verdict reads a verdict, one of those that the place takes.
func (r *reader) verdict(t *node, key string, missing Verdict, of ...Verdict) Verdict {
	n := t.get(key)
	if n == nil || !r.want(n, isString, key) {
		return missing
	}
	var v Verdict
	if err := v.UnmarshalText([]byte(n.text)); err != nil || !slices.Contains(of, v) {
		words := make([]string, len(of))
		for i, o := range of {
			words[i] = o.String()
		}
		r.fail(n.at, fmt.Sprintf("%q is no verdict here%s: write %s", n.text, wording.DidYouMean(n.text, words), strings.Join(words, " or ")))
		return Deny
	}
	return v
}

// id reads a rule's id or makes one, and refuses doubles.
func (r *reader) id(t *node, prefix, otherwise string) string {
	id, at := r.text(t, "id"), t.at
	if n := t.get("id"); n != nil {
		at = n.at
		if n.kind == isString && !argv.PlainName(id) {
			r.fail(at, fmt.Sprintf("%q is no id: letters, digits, dots and dashes", id))
			return prefix
		}
	}
	if id == "" {
		id = otherwise
	}
	id = prefix + strings.TrimPrefix(id, prefix)
	if r.ids[id] {
		r.fail(at, fmt.Sprintf("there is already a rule %s; give this one an id of its own", id))
	}
	r.ids[id] = true
	return id
}
