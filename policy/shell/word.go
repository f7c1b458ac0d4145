package shell

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/wording"

	"mvdan.cc/sh/v3/syntax"
)

// binding is one value for each variable that a command uses.
type binding map[string]choice

// choice is the value taken for one variable.
type choice struct {
	value argv.Word
	files bool
}

// bindings gives every combination of values of the variables that the words
// use. Too many combinations are denied, and none is given.
func (s *walker) bindings(st *state, words ...*syntax.Word) iter.Seq[binding] {
	var names []string
	for _, w := range words {
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst:
				return false
			case *syntax.ParamExp:
				if n.Param != nil && !slices.Contains(names, n.Param.Value) {
					names = append(names, n.Param.Value)
				}
			}
			return true
		})
	}
	total := 1
	for _, n := range names {
		if total *= len(st.get(n).values); total > maxValues {
			s.deny("builtin.size", fmt.Sprintf("the variables of one command take %d or more values together; at most %d are judged", total, maxValues), "use fewer variables or a narrower pattern")
			return func(func(binding) bool) {}
		}
	}
	return func(yield func(binding) bool) {
		for i := range total {
			if s.judge.Spent() {
				return
			}
			b, left := binding{}, i
			for _, n := range names {
				v := st.get(n)
				b[n] = choice{v.values[left%len(v.values)], v.files}
				left /= len(v.values)
			}
			if !yield(b) {
				return
			}
		}
	}
}

// draft is a word under construction.
type draft struct {
	text    strings.Builder // the word
	pattern strings.Builder // the word as a name pattern, quoted parts escaped
	kind    argv.WordKind
	quoted  bool // stays a word even when it is empty
	glob    bool
	brace   bool // an unquoted {
	comma   bool // an unquoted , or ..
}

// put adds text; outside of quotes stars work.
func (f *draft) put(text string, quoted bool) {
	if f.kind != argv.Literal {
		return // only the beginning of the word is known
	}
	f.text.WriteString(text)
	for _, c := range []byte(text) {
		if quoted && strings.IndexByte(`*?[]\`, c) >= 0 {
			f.pattern.WriteByte('\\')
		}
		f.pattern.WriteByte(c)
	}
}

// unsure adds a part of which only the kind is known.
func (f *draft) unsure(k argv.WordKind) {
	switch {
	case f.kind == argv.Several:
	case k == argv.Number && f.text.Len() == 0 && f.kind == argv.Literal && !f.quoted:
		f.kind = argv.Number
	case k == argv.Several:
		f.kind = argv.Several
	default:
		f.kind = argv.Unknown
	}
}

// expand turns a word of the script into the words that the program will get.
// globbed is true when file names are among them; ok is false when it was denied.
func (s *walker) expand(at Place, w *syntax.Word, bind binding) (out []argv.Word, globbed, ok bool) {
	var f draft
	for i, p := range w.Parts {
		if !s.part(&f, p, i == 0, i == len(w.Parts)-1, false, bind) {
			return nil, false, false
		}
		if lit, isLit := p.(*syntax.Lit); isLit && i+1 < len(w.Parts) && strings.HasSuffix(lit.Value, "$") {
			s.refuse("a $ before a quote means different things to different shells", `write "\$" or use single quotes`)
			return nil, false, false
		}
		if f.kind == argv.Number && i+1 < len(w.Parts) {
			f.kind = argv.Unknown // a number with something behind it
		}
	}
	if f.brace && f.comma {
		s.refuse("braces with alternatives expand in some shells", "write the words out")
		return nil, false, false
	}
	switch {
	case f.glob && f.kind != argv.Literal:
		s.refuse("a name pattern with parts that are not known", "write the pattern out")
		return nil, false, false
	case f.glob:
		return s.glob(at, f.text.String(), f.pattern.String())
	case f.kind == argv.Literal && f.text.Len() == 0 && !f.quoted:
		return nil, false, true
	case f.kind == argv.Several || f.kind == argv.Number:
		return []argv.Word{{Kind: f.kind}}, false, true
	}
	return []argv.Word{{Text: f.text.String(), Kind: f.kind}}, false, true
}

// part adds one part of a word.
func (s *walker) part(f *draft, p syntax.WordPart, first, last, quoted bool, bind binding) bool {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			f.put(unescapeQuoted(p.Value), true)
			return true
		}
		if first && p.Value == "[" && last {
			f.put("[", true) // no pattern without its end
			return true
		}
		return s.bare(f, p.Value, first)
	case *syntax.SglQuoted:
		f.quoted = true
		f.put(p.Value, true)
		return !p.Dollar || s.no("$'…' means different things to different shells")
	case *syntax.DblQuoted:
		f.quoted = true
		for _, q := range p.Parts {
			if !s.part(f, q, false, false, true, bind) {
				return false
			}
		}
		return !p.Dollar || s.no(`$"…" means different things to different shells`)
	case *syntax.ParamExp:
		return s.param(f, p, quoted, bind)
	case *syntax.CmdSubst:
		if quoted {
			f.unsure(argv.Unknown)
		} else {
			f.unsure(argv.Several)
		}
		return true
	case *syntax.ArithmExp:
		f.unsure(argv.Number)
		return true
	}
	return s.no("a word that is not POSIX shell")
}

// no denies a kind of word.
func (s *walker) no(what string) bool {
	s.refuse(what, "write the word out in single quotes")
	return false
}

// bare adds unquoted text: escapes, name patterns, and what expands.
func (s *walker) bare(f *draft, text string, first bool) bool {
	if first && strings.HasPrefix(text, "~") {
		s.refuse("~ stands for a home folder that is not known here", "leave ~/ out: paths start in the workspace")
		return false
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != '\n' {
				f.quoted = true
				f.put(text[i:i+1], true)
			}
			continue
		case c == '*' || c == '?' || c == '[':
			f.glob = true
		case c == '{':
			f.brace = true
		case c == ',' || c == '.' && strings.HasPrefix(text[i:], ".."):
			f.comma = true
		case c == '~' && i > 0 && (text[i-1] == '=' || text[i-1] == ':'):
			return s.no("~ after = or : stands for a home folder in some shells")
		}
		f.put(text[i:i+1], false)
	}
	return true
}

// param adds the value of a variable.
func (s *walker) param(f *draft, p *syntax.ParamExp, quoted bool, bind binding) bool {
	if !posix(p) {
		return s.no("an expansion that is not POSIX shell")
	}
	name := p.Param.Value
	switch {
	case p.Length, name == "#", name == "?", name == "$", name == "!":
		if p.Exp != nil {
			return s.no("an expansion of that kind")
		}
		f.unsure(argv.Number)
		return true
	case !syntax.ValidName(name): // $1, $@, $*, $-
		if quoted && name != "@" {
			f.unsure(argv.Unknown)
		} else {
			f.unsure(argv.Several)
		}
		return p.Exp == nil || s.no("an expansion of that kind")
	}
	c, ok := bind[name]
	if !ok {
		c = choice{value: argv.Word{Kind: argv.Unknown}}
	}
	v := c.value
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.AssignUnset, syntax.AssignUnsetOrNull:
			return s.no("${NAME:=…} sets a variable in passing")
		}
		v = trimmed(v, p.Exp)
	}
	return s.value(f, name, v, c.files, quoted)
}

// posix tells whether POSIX knows an expansion of this form.
func posix(p *syntax.ParamExp) bool {
	return p.Param != nil && !p.Excl && !p.Width && !p.IsSet && p.Index == nil && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.NestedParam == nil && p.Flags == nil && len(p.Modifiers) == 0
}

// value adds what a variable holds. Outside of quotes the shell splits it at
// blanks and expands stars in it, so it must have neither.
func (s *walker) value(f *draft, name string, v argv.Word, files, quoted bool) bool {
	switch {
	case v.Kind == argv.Number:
		f.unsure(argv.Number)
	case quoted && v.Kind == argv.Literal:
		f.put(v.Text, true)
	case quoted:
		f.put(v.Text, true)
		f.unsure(argv.Unknown)
	case v.Kind != argv.Literal:
		f.unsure(argv.Several)
	case files:
		s.refuse(fmt.Sprintf("$%s holds file names and stands outside of quotes, so blanks in a name would split it", name), fmt.Sprintf(`write "$%s"`, name))
		return false
	case strings.ContainsAny(v.Text, " \t\n*?[\\"):
		s.refuse(fmt.Sprintf("$%s stands outside of quotes, so its value %s would be split or expanded", name, wording.Quote(v.Text)), fmt.Sprintf(`write "$%s"`, name))
		return false
	default:
		f.put(v.Text, false)
	}
	return true
}

// trimmed is a value after ${NAME%SUFFIX} or ${NAME#PREFIX} with plain text, or
// ${NAME##*/}; after anything else it is not known.
func trimmed(v argv.Word, e *syntax.Expansion) argv.Word {
	arg := ""
	if e.Word != nil {
		var ok bool
		if arg, ok = plainText(e.Word); !ok {
			return argv.Word{Kind: argv.Unknown}
		}
	}
	if v.Kind != argv.Literal {
		return argv.Word{Kind: argv.Unknown}
	}
	plainArg := !strings.ContainsAny(arg, `*?[\`)
	switch {
	case (e.Op == syntax.RemSmallSuffix || e.Op == syntax.RemLargeSuffix) && plainArg:
		return argv.Word{Text: strings.TrimSuffix(v.Text, arg)}
	case (e.Op == syntax.RemSmallPrefix || e.Op == syntax.RemLargePrefix) && plainArg:
		return argv.Word{Text: strings.TrimPrefix(v.Text, arg)}
	case e.Op == syntax.RemLargePrefix && arg == "*/":
		return argv.Word{Text: v.Text[strings.LastIndexByte(v.Text, '/')+1:]}
	case e.Op == syntax.RemSmallSuffix && arg == ".*" && strings.Contains(v.Text, "."):
		return argv.Word{Text: v.Text[:strings.LastIndexByte(v.Text, '.')]}
	}
	return argv.Word{Kind: argv.Unknown}
}

// glob expands a name pattern by the facts.
func (s *walker) glob(at Place, text, pattern string) ([]argv.Word, bool, bool) {
	if len(at.Cwds) != 1 || strings.ContainsAny(at.Cwds[0], `*?[\`) {
		s.refuse("a name pattern after a cd that may fail", "join them with &&: cd FOLDER && …")
		return nil, false, false
	}
	if strings.Contains(pattern, "[^") || strings.Contains(pattern, "[:") || strings.Contains(pattern, "[[") {
		s.refuse("a name pattern that shells read differently", "use *, ? and plain [a-z]")
		return nil, false, false
	}
	key := argv.Under(at.Cwds[0], strings.ReplaceAll(pattern, "[!", "[^"))
	files, ok := s.judge.Files(NamePattern{Pattern: key, Written: text, Bare: strings.IndexByte("*?[", pattern[0]) >= 0})
	if !ok {
		return nil, false, false
	}
	if len(files) > maxValues {
		s.deny("builtin.size", fmt.Sprintf("the pattern %s matches %d files; at most %d are judged", wording.Quote(key), len(files), maxValues), "use a narrower pattern")
		return nil, false, false
	}
	if len(files) == 0 {
		return []argv.Word{{Text: text}}, true, true
	}
	out := make([]argv.Word, len(files))
	for i, file := range files {
		if at.Cwds[0] != "" && !strings.HasPrefix(pattern, "/") {
			file = strings.TrimPrefix(file, at.Cwds[0]+"/")
		}
		out[i] = argv.Word{Text: file}
	}
	return out, true, true
}
