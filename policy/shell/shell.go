package shell

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hardshell/policy/argv"
	"hardshell/policy/wording"

	"mvdan.cc/sh/v3/syntax"
)

// maxScript is the size up to which a script is read, in bytes.
const maxScript = 16_384

// Script is shell text that was read as POSIX shell.
type Script struct {
	file *syntax.File
	// Parts is how many statements it has, as written.
	Parts int
}

// Refusal says why a text is not judged, and how to say it plainly.
type Refusal struct{ Rule, Reason, Hint string }

// Parse reads shell text as POSIX shell; what that grammar lacks is refused, as is what
// shells read differently.
func Parse(text string) (*Script, *Refusal) {
	if len(text) > maxScript {
		return nil, &Refusal{"builtin.size", fmt.Sprintf("the script has %d bytes; at most %d are judged", len(text), maxScript), "split it, or write data into a file first"}
	}
	if bad := unprintable(text); bad != "" {
		return nil, &Refusal{"builtin.syntax", "the script holds " + bad + ", which shells read differently", "write it with newlines and plain characters"}
	}
	if commentGoesOn(text) {
		// The parser takes the backslash for a continuation, shells don't.
		return nil, &Refusal{"builtin.syntax", "a comment ends in a backslash, which is read differently", "leave the comment out"}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, &Refusal{"builtin.syntax", "the script can't be parsed as POSIX shell: " + wording.Plain(strings.TrimSuffix(err.Error(), "; tried parsing as posix")), parserHint(err.Error())}
	}
	s := &Script{file: file}
	syntax.Walk(file, func(n syntax.Node) bool {
		if one, ok := n.(*syntax.Stmt); ok && one != nil {
			s.Parts++
		}
		return true
	})
	return s, nil
}

// Place is where in a script a command stands.
type Place struct {
	// Cwds are the folders, relative to the script's own, in which it may run; a cd
	// that may fail gives two.
	Cwds []string
	// Endless is true inside of a while or until. Times is how often for loops run it;
	// 0 counts as once.
	Endless bool
	Times   float64
}

// NamePattern is a pattern of file names, as the shell expands it.
type NamePattern struct {
	// Pattern is what is expanded, relative to the script's folder; Written is the word as
	// the script has it.
	Pattern, Written string
	// Bare is true when names of any beginning can match, a dash too.
	Bare bool
}

// Judge is given what a script does, in the order in which it would. What is denied is
// the judge's to keep.
type Judge interface {
	// Command takes one simple command, with its words as the program will get them.
	Command(at Place, ws []argv.Word)
	// Path takes a file that a redirection opens.
	Path(at Place, text string, a argv.Access)
	// Variable takes a variable that reaches programs.
	Variable(name, value string)
	// Folder tells whether a cd into a folder leads there; where not, it is denied.
	Folder(path string) bool
	// Files expands a name pattern; where it can't, that is denied and ok is false.
	Files(p NamePattern) (files []string, ok bool)
	// Deny and Harmless take what the reading itself says.
	Deny(r Refusal)
	Harmless(why, reason string)
	// Spent counts a step and tells whether the work is at its limit.
	Spent() bool
	// Rehearse walks a part of which nothing is kept but what changes what comes later.
	Rehearse(walk func())
}

// Walk tells a judge everything that the script does, from a place on: every simple
// command with every value that its words can take.
func (s *Script) Walk(j Judge, at Place) {
	w := walker{judge: j}
	w.stmts(at, s.file.Stmts, &state{vars: map[string]variable{}, cwds: at.Cwds})
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

// walker walks the statements of one script.
type walker struct {
	judge Judge
	// leaves holds, for each loop that is being walked, the state at the places
	// where break and continue leave it; nil while there was none.
	leaves []*state
}

// deny denies what the reading of the script finds.
func (s *walker) deny(rule, reason, hint string) { s.judge.Deny(Refusal{rule, reason, hint}) }

// refuse denies a construct of the shell.
func (s *walker) refuse(what, hint string) { s.deny("builtin.shell", what, hint) }

// flow is how a statement can leave the shell: ok after success, any in every
// case.
type flow struct{ ok, any *state }

// same is the flow of a statement that changes nothing.
func same(st *state) flow { return flow{st, st} }

// stmts judges a list of statements and gives the state behind it.
func (s *walker) stmts(at Place, list []*syntax.Stmt, st *state) *state {
	for _, one := range list {
		st = s.stmt(at, one, st).any
	}
	return st
}

// stmt judges one statement with its redirections.
func (s *walker) stmt(at Place, one *syntax.Stmt, st *state) flow {
	at.Cwds = st.cwds
	if s.judge.Spent() {
		return same(st)
	}
	if one.Coprocess || one.Disown {
		s.refuse("coprocesses are not judged", "")
		return same(st)
	}
	for _, r := range one.Redirs {
		s.redirect(at, r, st)
	}
	if one.Cmd == nil {
		return same(st)
	}
	f := s.cmd(at, one.Cmd, st)
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
func (s *walker) cmd(at Place, c syntax.Command, st *state) flow {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return s.call(at, c, st)
	case *syntax.BinaryCmd:
		return s.binary(at, c, st)
	case *syntax.Subshell:
		if len(c.Stmts) > 0 && c.Stmts[0].Pos().Offset() == c.Lparen.Offset()+1 {
			if _, twice := c.Stmts[0].Cmd.(*syntax.Subshell); twice {
				s.refuse("(( is arithmetic in some shells", "write ( ( … ) ) with a blank between")
				return same(st)
			}
		}
		s.stmts(at, c.Stmts, st.copy())
		return same(st)
	case *syntax.Block:
		after := s.stmts(at, c.Stmts, st)
		return same(after)
	case *syntax.IfClause:
		return same(s.ifClause(at, c, st))
	case *syntax.WhileClause:
		at.Endless = true
		return same(s.loop(st, c, func(st *state) *state {
			return s.stmts(at, c.Do, s.stmts(at, c.Cond, st))
		}))
	case *syntax.ForClause:
		return same(s.forClause(at, c, st))
	case *syntax.CaseClause:
		s.look(at, c.Word, st)
		after := st
		for _, item := range c.Items {
			if item.Op != syntax.Break {
				s.refuse("a case that falls through", "end each branch with ;;")
			}
			for _, p := range item.Patterns {
				s.look(at, p, st)
			}
			after = merge(after, s.stmts(at, item.Stmts, st))
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
func (s *walker) binary(at Place, c *syntax.BinaryCmd, st *state) flow {
	switch c.Op {
	case syntax.AndStmt:
		x := s.stmt(at, c.X, st)
		y := s.stmt(at, c.Y, x.ok)
		return flow{y.ok, merge(x.any, y.any)}
	case syntax.OrStmt:
		x := s.stmt(at, c.X, st)
		y := s.stmt(at, c.Y, x.any)
		return flow{merge(x.ok, y.ok), merge(x.any, y.any)}
	case syntax.Pipe:
		s.stmt(at, c.X, st.copy())
		s.stmt(at, c.Y, st.copy())
	default:
		s.refuse("the operator "+c.Op.String()+" is not POSIX shell", "write > file 2>&1 or a plain pipe")
	}
	return same(st)
}

// ifClause judges all branches.
func (s *walker) ifClause(at Place, c *syntax.IfClause, st *state) *state {
	if len(c.Cond) == 0 { // a plain else
		return s.stmts(at, c.Then, st)
	}
	cond, ok := st, st
	for i, one := range c.Cond {
		f := s.stmt(at, one, cond)
		if cond = f.any; i == len(c.Cond)-1 {
			ok = f.ok
		}
	}
	after := s.stmts(at, c.Then, ok)
	if c.Else == nil {
		return merge(after, cond)
	}
	return merge(after, s.ifClause(at, c.Else, cond))
}

// maxLoops is how deep loops may stand in each other.
const maxLoops = 4

// maxPasses is how often a loop's body is walked to find the values that its
// variables can take; what still changes then counts as unknown.
const maxPasses = 4

// loop judges a body that runs any number of times. Rehearsals find out what
// variables can hold at its start; only what the last walk reports is kept.
func (s *walker) loop(st *state, c syntax.Node, body func(*state) *state) *state {
	switch {
	case changesFolder(c):
		s.refuse("cd inside of a loop", "use paths instead, or cd inside of ( )")
		return st
	case len(s.leaves) >= maxLoops:
		s.deny("builtin.size", fmt.Sprintf("loops inside of loops: at most %d deep are judged", maxLoops), "run it in smaller steps")
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
		var next *state
		s.judge.Rehearse(func() { next = walk() })
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
func (s *walker) leave(st *state) {
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
func (s *walker) forClause(at Place, c *syntax.ForClause, st *state) *state {
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
		s.look(at, item, st)
		for bind := range s.bindings(st, item) {
			fields, globbed, ok := s.expand(at, item, bind)
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
		s.deny("builtin.size", fmt.Sprintf("the loop has %d values; at most %d are judged", len(v.values), maxValues), "use a narrower pattern")
		return st
	}
	at.Times = max(at.Times, 1) * float64(len(v.values))
	start := st.copy()
	start.vars[iter.Name.Value] = v
	after := s.loop(start, c, func(st *state) *state {
		st.vars[iter.Name.Value] = v
		return s.stmts(at, c.Do, st)
	})
	return merge(st, after)
}
