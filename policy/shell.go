package policy

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hardshell/policy/argv"
	"hardshell/policy/wording"

	"mvdan.cc/sh/v3/syntax"
)

// script judges shell text: every simple command in it, with every value that
// its words can take. The text is read as POSIX shell; what that grammar lacks is
// denied, as is everything whose effect can't be told beforehand.
func (h *hearing) script(ctx scene, text string) {
	switch {
	case len(text) > maxScript:
		h.deny("builtin.size", fmt.Sprintf("the script has %d bytes; at most %d are judged", len(text), maxScript), "split it, or write data into a file first")
		return
	case ctx.depth > maxDepth:
		h.deny("builtin.size", fmt.Sprintf("shells inside of shells: at most %d deep are judged", maxDepth), "run the inner command itself")
		return
	}
	if bad := unprintable(text); bad != "" {
		h.deny("builtin.syntax", "the script holds "+bad+", which shells read differently", "write it with newlines and plain characters")
		return
	}
	if commentGoesOn(text) {
		// The parser takes the backslash for a continuation, shells don't.
		h.deny("builtin.syntax", "a comment ends in a backslash, which is read differently", "leave the comment out")
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err != nil {
		h.deny("builtin.syntax", "the script can't be parsed as POSIX shell: "+wording.Plain(strings.TrimSuffix(err.Error(), "; tried parsing as posix")), shellHint(err.Error()))
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok && s != nil {
			h.parts++
		}
		return true
	})
	if h.parts > maxParts {
		h.deny("builtin.size", fmt.Sprintf("the script has %d parts; at most %d are judged", h.parts, maxParts), "run it in smaller steps")
		return
	}
	ctx.shell, ctx.script, ctx.carried = true, true, false
	s := shell{h: h}
	s.stmts(ctx, file.Stmts, &state{vars: map[string]variable{}, cwds: ctx.cwds})
}

// commentGoesOn finds a line that could be a comment and ends in a backslash.
func commentGoesOn(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasSuffix(line, "\\\n") && strings.Contains(line, "#") {
			return true
		}
	}
	return false
}

// unprintable names what must not stand in a script.
func unprintable(text string) string {
	if !utf8.ValidString(text) {
		return "bytes that are not UTF-8"
	}
	for _, r := range text {
		switch {
		case r == '\r':
			return "a carriage return"
		case r < ' ' && r != '\n' && r != '\t' || r == 0x7f:
			return fmt.Sprintf("the control character %U", r)
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return "a mark that turns the reading direction"
		}
	}
	return ""
}

// shell judges the statements of one script.
type shell struct {
	h *hearing
	// leaves holds, for each loop that is being walked, the state at the places
	// where break and continue leave it; nil while there was none.
	leaves []*state
}

// refuse denies a construct of the shell.
func (s *shell) refuse(what, hint string) { s.h.deny("builtin.shell", what, hint) }

// flow is how a statement can leave the shell: ok after success, any in every
// case.
type flow struct{ ok, any *state }

// same is the flow of a statement that changes nothing.
func same(st *state) flow { return flow{st, st} }

// stmts judges a list of statements and gives the state behind it.
func (s *shell) stmts(ctx scene, list []*syntax.Stmt, st *state) *state {
	for _, one := range list {
		st = s.stmt(ctx, one, st).any
	}
	return st
}

// stmt judges one statement with its redirections.
func (s *shell) stmt(ctx scene, one *syntax.Stmt, st *state) flow {
	ctx.cwds = st.cwds
	if s.h.spent() {
		return same(st)
	}
	if one.Coprocess || one.Disown {
		s.refuse("coprocesses are not judged", "")
		return same(st)
	}
	for _, r := range one.Redirs {
		s.redirect(ctx, r, st)
	}
	if one.Cmd == nil {
		return same(st)
	}
	f := s.cmd(ctx, one.Cmd, st)
	if len(one.Redirs) > 0 {
		f.any = merge(st, f.any) // a redirection that fails keeps the command from running
	}
	switch {
	case one.Background:
		return same(st) // ran in a shell of its own
	case one.Negated:
		return flow{f.any, f.any}
	}
	return f
}

// cmd judges one command of any kind.
func (s *shell) cmd(ctx scene, c syntax.Command, st *state) flow {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return s.call(ctx, c, st)
	case *syntax.BinaryCmd:
		return s.binary(ctx, c, st)
	case *syntax.Subshell:
		if len(c.Stmts) > 0 && c.Stmts[0].Pos().Offset() == c.Lparen.Offset()+1 {
			if _, twice := c.Stmts[0].Cmd.(*syntax.Subshell); twice {
				s.refuse("(( is arithmetic in some shells", "write ( ( … ) ) with a blank between")
				return same(st)
			}
		}
		s.stmts(ctx, c.Stmts, st.copy())
		return same(st)
	case *syntax.Block:
		after := s.stmts(ctx, c.Stmts, st)
		return same(after)
	case *syntax.IfClause:
		return same(s.ifClause(ctx, c, st))
	case *syntax.WhileClause:
		ctx.endless = true
		return same(s.loop(st, c, func(st *state) *state {
			return s.stmts(ctx, c.Do, s.stmts(ctx, c.Cond, st))
		}))
	case *syntax.ForClause:
		return same(s.forClause(ctx, c, st))
	case *syntax.CaseClause:
		s.look(ctx, c.Word, st)
		after := st
		for _, item := range c.Items {
			if item.Op != syntax.Break {
				s.refuse("a case that falls through", "end each branch with ;;")
			}
			for _, p := range item.Patterns {
				s.look(ctx, p, st)
			}
			after = merge(after, s.stmts(ctx, item.Stmts, st))
		}
		return same(after)
	case *syntax.FuncDecl:
		s.refuse(fmt.Sprintf("the function %s would give a name another meaning", wording.Quote(funcName(c))), "write its commands where they are needed")
	default:
		s.refuse("a construct that is not POSIX shell", "write it plainly, or use argv")
	}
	return same(st)
}

// funcName is the name that a declaration gives.
func funcName(c *syntax.FuncDecl) string {
	if c.Name == nil {
		return ""
	}
	return c.Name.Value
}

// binary judges lists and pipelines.
func (s *shell) binary(ctx scene, c *syntax.BinaryCmd, st *state) flow {
	switch c.Op {
	case syntax.AndStmt:
		x := s.stmt(ctx, c.X, st)
		y := s.stmt(ctx, c.Y, x.ok)
		return flow{y.ok, merge(x.any, y.any)}
	case syntax.OrStmt:
		x := s.stmt(ctx, c.X, st)
		y := s.stmt(ctx, c.Y, x.any)
		return flow{merge(x.ok, y.ok), merge(x.any, y.any)}
	case syntax.Pipe:
		s.stmt(ctx, c.X, st.copy())
		s.stmt(ctx, c.Y, st.copy())
	default:
		s.refuse("the operator "+c.Op.String()+" is not POSIX shell", "write > file 2>&1 or a plain pipe")
	}
	return same(st)
}

// ifClause judges all branches.
func (s *shell) ifClause(ctx scene, c *syntax.IfClause, st *state) *state {
	if len(c.Cond) == 0 { // a plain else
		return s.stmts(ctx, c.Then, st)
	}
	cond, ok := st, st
	for i, one := range c.Cond {
		f := s.stmt(ctx, one, cond)
		if cond = f.any; i == len(c.Cond)-1 {
			ok = f.ok
		}
	}
	after := s.stmts(ctx, c.Then, ok)
	if c.Else == nil {
		return merge(after, cond)
	}
	return merge(after, s.ifClause(ctx, c.Else, cond))
}

// maxLoops is how deep loops may stand in each other.
const maxLoops = 4

// maxPasses is how often a loop's body is walked to find the values that its
// variables can take; what still changes then counts as unknown.
const maxPasses = 4

// loop judges a body that runs any number of times. Rehearsals find out what
// variables can hold at its start; only the last walk leaves findings.
func (s *shell) loop(st *state, c syntax.Node, body func(*state) *state) *state {
	switch {
	case changesFolder(c):
		s.refuse("cd inside of a loop", "use paths instead, or cd inside of ( )")
		return st
	case len(s.leaves) >= maxLoops:
		s.h.deny("builtin.size", fmt.Sprintf("loops inside of loops: at most %d deep are judged", maxLoops), "run it in smaller steps")
		return st
	}
	walk := func() *state {
		s.leaves = append(s.leaves, nil)
		after := body(st.copy())
		if left := s.leaves[len(s.leaves)-1]; left != nil {
			after = merge(after, left)
		}
		s.leaves = s.leaves[:len(s.leaves)-1]
		return merge(st, after)
	}
	for pass := 0; ; pass++ {
		found, waits, judged, grants, counts := s.h.found, s.h.waits, s.h.judged, s.h.grants, s.h.counts
		said := s.h.notes.count()
		next := walk()
		s.h.notes.forget(said)
		s.h.found, s.h.waits, s.h.judged, s.h.grants, s.h.counts = found[:len(found):len(found)], waits, judged, grants, counts
		if next.equal(st) {
			break
		}
		if pass >= maxPasses {
			next.forget(st)
		}
		st = next
	}
	return walk()
}

// leave notes the state in which break or continue leaves the loops around it.
func (s *shell) leave(st *state) {
	for i, left := range s.leaves {
		if left == nil {
			s.leaves[i] = st
		} else {
			s.leaves[i] = merge(left, st)
		}
	}
}

// changesFolder tells whether a cd stands in a loop outside of a subshell.
func changesFolder(c syntax.Node) bool {
	found := false
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst:
			return false
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				if t, ok := writtenOut(n.Args[0]); ok && t == "cd" {
					found = true
				}
			}
		}
		return true
	})
	return found
}

// forClause judges a loop over words: the variable takes each of them.
func (s *shell) forClause(ctx scene, c *syntax.ForClause, st *state) *state {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || c.Braces || !iter.InPos.IsValid() {
		s.refuse("only for NAME in WORDS is judged", "write the words out")
		return st
	}
	if !s.mayAssign(iter.Name.Value) {
		return st
	}
	v := variable{}
	for _, item := range iter.Items {
		s.look(ctx, item, st)
		for bind := range s.bindings(st, item) {
			fields, globbed, ok := s.expand(ctx, item, bind)
			if !ok {
				return st
			}
			v.files = v.files || globbed
			for _, f := range fields {
				if f.Kind == argv.Several {
					f = argv.Word{Kind: argv.Unknown}
				}
				v.add(f)
			}
		}
	}
	if len(v.values) == 0 {
		v = anything // never runs; its commands are judged all the same
	}
	if len(v.values) > maxValues {
		s.h.deny("builtin.size", fmt.Sprintf("the loop has %d values; at most %d are judged", len(v.values), maxValues), "use a narrower pattern")
		return st
	}
	ctx.times = max(ctx.times, 1) * float64(len(v.values))
	start := st.copy()
	start.vars[iter.Name.Value] = v
	after := s.loop(start, c, func(st *state) *state {
		st.vars[iter.Name.Value] = v
		return s.stmts(ctx, c.Do, st)
	})
	return merge(st, after)
}
