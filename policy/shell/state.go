package shell

import (
	"maps"
	"slices"

	"hardshell/policy/argv"
)

// Limits of what a variable may hold; beyond them it counts as unknown or the
// script is denied.
const (
	maxValues = 512
	maxCwds   = 4
)

// variable is everything that a shell variable can hold at one place.
type variable struct {
	values []argv.Word
	// files is true when a value is the name of a file: such a name can hold
	// blanks and stars, so it must stand in quotes.
	files bool
}

// add joins one value.
func (v *variable) add(w argv.Word) {
	if !slices.Contains(v.values, w) {
		v.values = append(slices.Clip(v.values), w)
	}
}

// join is what a variable can hold that is one or the other.
func (v variable) join(o variable) variable {
	out := variable{values: v.values, files: v.files || o.files}
	for _, w := range o.values {
		out.add(w)
	}
	return out
}

// anything is a variable of which nothing is known.
var anything = variable{values: []argv.Word{{Kind: argv.Unknown}}}

// state is what is known of the shell before a statement.
type state struct {
	vars map[string]variable
	cwds []string
}

// get is what a variable can hold; one that was never set can come from the
// environment.
func (st *state) get(name string) variable {
	if v, ok := st.vars[name]; ok {
		return v
	}
	return anything
}

// copy is a state that can be changed by itself.
func (st *state) copy() *state { return &state{maps.Clone(st.vars), slices.Clone(st.cwds)} }

// with is the state after an assignment.
func (st *state) with(name string, v variable) *state {
	out := st.copy()
	out.vars[name] = v
	return out
}

// merge is the state after one of two ways.
func merge(a, b *state) *state {
	if a == b {
		return a
	}
	out := &state{vars: map[string]variable{}, cwds: slices.Clone(a.cwds)}
	for name := range a.vars {
		out.vars[name] = a.get(name).join(b.get(name))
	}
	for name := range b.vars {
		out.vars[name] = a.get(name).join(b.get(name))
	}
	for _, c := range b.cwds {
		if !slices.Contains(out.cwds, c) {
			out.cwds = append(out.cwds, c)
		}
	}
	return out
}

// equal tells whether two states know the same.
func (st *state) equal(o *state) bool {
	if len(st.vars) != len(o.vars) || !slices.Equal(st.cwds, o.cwds) {
		return false
	}
	for name, v := range st.vars {
		w, ok := o.vars[name]
		if !ok || v.files != w.files || len(v.values) != len(w.values) {
			return false
		}
		for _, x := range v.values {
			if !slices.Contains(w.values, x) {
				return false
			}
		}
	}
	return true
}

// forget makes every variable unknown that differs from an earlier state.
func (st *state) forget(earlier *state) {
	for name, v := range st.vars {
		if w, ok := earlier.vars[name]; !ok || len(w.values) != len(v.values) {
			st.vars[name] = anything
		}
	}
}
