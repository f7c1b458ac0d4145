package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/wording"

	"mvdan.cc/sh/v3/syntax"
)

// look judges what a word runs while it is expanded: command substitutions, and
// sums, which some shells read as more than numbers.
func (s *walker) look(at Place, w *syntax.Word, st *state) {
	if w == nil {
		return
	}
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if n.TempFile || n.ReplyVar {
				s.refuse("a substitution that is not POSIX shell", "write $(…)")
				return false
			}
			at := at
			at.Cwds = st.cwds
			s.stmts(at, n.Stmts, st.copy())
			return false
		case *syntax.ProcSubst, *syntax.ExtGlob, *syntax.BraceExp:
			s.refuse("a word that is not POSIX shell", "write it plainly")
			return false
		case *syntax.ArithmExp:
			s.sum(n, st)
		}
		return true
	})
}

// sum denies arithmetic on anything but numbers, and assignments in it.
func (s *walker) sum(a *syntax.ArithmExp, st *state) {
	if a.Bracket || a.Unsigned {
		s.refuse("arithmetic that is not POSIX shell", "write $((…))")
	}
	bad := ""
	syntax.Walk(a.X, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryArithm, *syntax.UnaryArithm:
			if assigns(n) {
				bad = "an assignment"
			}
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp == nil && (n.Length || n.Param.Value == "#" || n.Param.Value == "?") {
				return false // a number in every shell
			}
			if n.Param == nil || !numeric(st.get(n.Param.Value)) {
				bad = "an expansion that may be no number"
			}
		case *syntax.Lit:
			if !argv.WholeNumber(n.Value) && !numeric(st.get(n.Value)) {
				bad = wording.Quote(n.Value) + ", which may be no number"
			}
		case *syntax.CmdSubst, *syntax.SglQuoted, *syntax.DblQuoted:
			bad = "more than numbers and variables"
			return false
		}
		return true
	})
	if bad != "" {
		s.refuse("a sum with "+bad, "sum only numbers and variables that hold numbers")
	}
}

// assigns tells whether a part of a sum changes a variable.
func assigns(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.BinaryArithm:
		op := n.Op.String()
		return strings.HasSuffix(op, "=") && !slices.Contains([]string{"==", "!=", "<=", ">="}, op)
	case *syntax.UnaryArithm:
		return n.Op == syntax.Inc || n.Op == syntax.Dec
	}
	return false
}

// numeric tells whether a variable can only hold numbers.
func numeric(v variable) bool {
	for _, w := range v.values {
		if w.Kind != argv.Number && (w.Kind != argv.Literal || !argv.WholeNumber(w.Text)) {
			return false
		}
	}
	return len(v.values) > 0
}

// redirect judges one redirection.
func (s *walker) redirect(at Place, r *syntax.Redirect, st *state) {
	s.look(at, r.Word, st)
	s.look(at, r.Hdoc, st)
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		s.refuse("a redirection of a named descriptor", "use numbers")
		return
	}
	var a argv.Access
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return
	case syntax.DplIn, syntax.DplOut:
		if t, ok := plainText(r.Word); !ok || t != "-" && (t == "" || strings.Trim(t, "0123456789") != "") {
			s.refuse("a redirection to a descriptor that is not a number", "write 2>&1, or > file 2>&1")
		}
		return
	case syntax.RdrIn:
		a = argv.Read
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrInOut:
		a = argv.Write
	default:
		s.refuse("the redirection "+r.Op.String()+" is not POSIX shell", "write > file 2>&1")
		return
	}
	for bind := range s.bindings(st, r.Word) {
		fields, globbed, ok := s.expand(at, r.Word, bind)
		switch {
		case !ok:
			return
		case globbed || len(fields) != 1 || fields[0].Kind != argv.Literal || !argv.CouldBePath(fields[0].Text):
			s.refuse("a redirection whose file is not written out", "write the file's name")
			return
		}
		s.judge.Path(at, fields[0].Text, a)
		if r.Op == syntax.RdrInOut {
			s.judge.Path(at, fields[0].Text, argv.Read)
		}
	}
}

// call judges a simple command.
func (s *walker) call(at Place, c *syntax.CallExpr, st *state) flow {
	for _, w := range c.Args {
		s.look(at, w, st)
	}
	after, ok := s.assigns(at, c, st)
	if !ok || len(c.Args) == 0 {
		return same(after)
	}
	name, isPlain := writtenOut(c.Args[0])
	if !isPlain {
		hint := "write the program's name as a plain word"
		if lit, ok := plainText(c.Args[0]); ok && lit == "[[" {
			hint = OneBracket
		}
		s.deny("builtin.computed", "the program's name is computed, so nobody can say what would run", hint)
		return same(after)
	}
	switch name {
	case "cd":
		return s.changeFolder(c, after)
	case "read", "export", "unset":
		return same(s.setting(name, c, after))
	case "break", "continue":
		s.leave(after)
	}
	for bind := range s.bindings(after, c.Args...) {
		ws := []argv.Word{{Text: name}}
		for _, w := range c.Args[1:] {
			fields, _, ok := s.expand(at, w, bind)
			if !ok {
				return same(after)
			}
			ws = append(ws, fields...)
		}
		if len(ws) > argv.MaxWords {
			s.deny("builtin.size", fmt.Sprintf("the command has %d words; at most %d are judged", len(ws), argv.MaxWords), "use a narrower pattern")
			return same(after)
		}
		s.judge.Command(at, ws)
	}
	return same(after)
}

// assigns judges the assignments of a command. Before a command they reach the
// program; alone they set variables of the shell.
func (s *walker) assigns(at Place, c *syntax.CallExpr, st *state) (*state, bool) {
	before := st
	for _, a := range c.Assigns {
		if a.Append || a.Naked || a.Index != nil || a.Array != nil || a.Name == nil {
			s.refuse("an assignment that is not POSIX shell", "write NAME=value")
			return st, false
		}
		s.look(at, a.Value, st)
		if !s.mayAssign(a.Name.Value) {
			return st, false
		}
		v, ok := s.assigned(a.Value, st)
		if !ok {
			return st, false
		}
		if len(c.Args) > 0 {
			for _, w := range v.values {
				if w.Kind != argv.Literal {
					s.deny("builtin.env", fmt.Sprintf("the value of %s for the command is not written out", a.Name.Value), "write it out")
					return st, false
				}
				s.judge.Variable(a.Name.Value, w.Text)
			}
		}
		st = st.with(a.Name.Value, v)
	}
	if len(c.Assigns) > 0 && len(c.Args) == 0 {
		s.judge.Harmless("setting a variable of the shell", "sets a variable")
	}
	// Before a command the values need not last, and an error among several may
	// leave the old ones.
	if len(c.Args) > 0 || len(c.Assigns) > 1 {
		st = merge(before, st)
	}
	return st, true
}

// mayAssign denies names that steer the shell or the loader.
func (s *walker) mayAssign(name string) bool {
	if !argv.EnvName(name) || Steers(name) || slices.Contains(shellVariables, name) {
		s.deny("builtin.env", fmt.Sprintf("%s may not be set: it changes which programs run or what they do", wording.Quote(name)), "use another name, in small letters")
		return false
	}
	return true
}

// assigned is what a variable holds after NAME=WORD: one word, neither split nor
// expanded.
func (s *walker) assigned(w *syntax.Word, st *state) (variable, bool) {
	if w == nil {
		return variable{values: []argv.Word{{}}}, true
	}
	var v variable
	for bind := range s.bindings(st, w) {
		var f draft
		for i, p := range w.Parts {
			// Values are not split here, so a variable counts as quoted; stars in
			// the text stay stars until the variable is used without quotes.
			_, isLit := p.(*syntax.Lit)
			quoted := !isLit
			if _, isDq := p.(*syntax.DblQuoted); isDq {
				quoted = false
			}
			if !s.part(&f, p, i == 0, false, quoted, bind) {
				return v, false
			}
			if f.kind == argv.Number && i+1 < len(w.Parts) {
				f.kind = argv.Unknown
			}
		}
		for _, c := range bind {
			v.files = v.files || c.files
		}
		if f.brace && f.comma {
			return v, s.no("braces with alternatives expand in some shells")
		}
		if f.kind == argv.Several {
			f.kind = argv.Unknown
		}
		if f.kind == argv.Number {
			v.add(argv.Word{Kind: argv.Number})
			continue
		}
		v.add(argv.Word{Text: f.text.String(), Kind: f.kind})
	}
	return v, len(v.values) > 0
}

// changeFolder follows a cd into a folder that is there.
func (s *walker) changeFolder(c *syntax.CallExpr, st *state) flow {
	if len(c.Args) != 2 {
		s.refuse("cd without exactly one folder", "write cd FOLDER && …")
		return same(st)
	}
	target, ok := writtenOut(c.Args[1])
	if !ok || target == "" || target[0] == '-' || slices.Contains(strings.Split(target, "/"), "..") {
		s.refuse("cd to a folder that is not plainly written out", "write cd FOLDER && …, without .. and patterns")
		return same(st)
	}
	next := st.copy()
	next.cwds = nil
	for _, cwd := range st.cwds {
		key := path.Clean(argv.Under(cwd, target))
		if !s.judge.Folder(key) {
			return same(st)
		}
		next.cwds = append(next.cwds, key)
	}
	any := merge(st, next)
	if len(any.cwds) > maxCwds {
		s.refuse("too many changes of the folder", "use paths instead of cd")
		return same(st)
	}
	return flow{next, any}
}

// setting judges the words that change variables.
func (s *walker) setting(name string, c *syntax.CallExpr, st *state) *state {
	for _, w := range c.Args[1:] {
		text, ok := writtenOut(w)
		n, value, has := strings.Cut(text, "=")
		switch {
		case !ok:
			s.refuse(name+" with words that are not written out", "write NAME or NAME=value")
			return st
		case name == "read" && text == "-r":
			continue
		case name != "export" && has || !s.mayAssign(n):
			s.refuse(fmt.Sprintf("%s %s", name, wording.Quote(text)), "write NAME or NAME=value")
			return st
		}
		switch {
		case name == "read":
			st = st.with(n, anything)
		case name == "unset":
			st = st.with(n, variable{values: []argv.Word{{}}})
		case has:
			s.judge.Variable(n, value)
			st = st.with(n, variable{values: []argv.Word{{Text: value}}})
		case name == "export":
			for _, v := range st.get(n).values {
				if v.Kind != argv.Literal {
					s.deny("builtin.env", fmt.Sprintf("the value of %s for programs is not known", n), "write export NAME=value")
					return st
				}
				s.judge.Variable(n, v.Text)
			}
		}
	}
	s.judge.Harmless("setting a variable of the shell", name+" sets variables")
	return st
}
