package policy

import (
	"strings"

	"hardshell/policy/argv"
)

// ops is a set of file operations; the zero ops is none.
type ops struct{ read, write, list bool }

// opsOf is the set of these.
func opsOf(list ...FileOp) ops {
	var o ops
	for _, op := range list {
		switch op {
		case Read:
			o.read = true
		case Write:
			o.write = true
		case List:
			o.list = true
		}
	}
	return o
}

// cover tells whether a rule for these operations speaks of an access. Who may
// read may list, and what may not be read may not be listed.
func (o ops) cover(a argv.Access) bool {
	switch a {
	case argv.Write, argv.Remove:
		return o.write
	case argv.List:
		return o.list || o.read
	default:
		return o.read
	}
}

// slice is the set as a list.
func (o ops) slice() []FileOp {
	var out []FileOp
	for _, one := range []struct {
		on bool
		op FileOp
	}{{o.read, Read}, {o.write, Write}, {o.list, List}} {
		if one.on {
			out = append(out, one.op)
		}
	}
	return out
}

// String is the set as people read it: "read write".
func (o ops) String() string {
	words := make([]string, 0, 3)
	for _, op := range o.slice() {
		words = append(words, string(op))
	}
	return strings.Join(words, " ")
}
