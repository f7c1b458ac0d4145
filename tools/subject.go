package tools

import (
	"fmt"
	"strconv"
	"strings"

	"hardshell/policy"
	"hardshell/tools/text"
)

// Subject is an action as one line, for a person and the audit: whole, nothing cut
// and nothing that a terminal could take for anything but text.
func Subject(a policy.Action) string {
	switch {
	case a.Process != nil:
		return processSubject(a)
	case a.Exec != nil:
		return execSubject(a.Exec)
	case a.File != nil:
		return string(a.File.Op) + " " + quote(a.File.Path)
	case len(a.Files) > 0:
		return filesSubject(a.Files)
	case a.Setting != nil:
		return settingSubject(a.Setting)
	case a.Tool != "":
		return a.Tool
	}
	return string(a.Kind)
}

// filesSubject names each file once, with all that happens to it.
func filesSubject(files []policy.File) string {
	var out []string
	for i, f := range files {
		if i > 0 && files[i-1].Path == f.Path {
			out[len(out)-1] = string(files[i-1].Op) + " and " + string(f.Op) + " " + quote(f.Path)
			continue
		}
		out = append(out, string(f.Op)+" "+quote(f.Path))
	}
	return strings.Join(out, ", ")
}

// processSubject says what is done with a command in the background.
func processSubject(a policy.Action) string {
	s := "process " + a.Process.Op
	if a.Process.ID != "" {
		s += " " + quote(a.Process.ID)
	}
	if a.Exec != nil {
		s += ": " + execSubject(a.Exec)
	}
	return s
}

func settingSubject(s *policy.Setting) string {
	var out []string
	for _, one := range []struct{ name, value string }{{"model", s.Model}, {"reasoning", s.Reasoning}} {
		if one.value != "" {
			out = append(out, "set "+one.name+" to "+quote(one.value))
		}
	}
	return strings.Join(out, ", ")
}

func execSubject(e *policy.Exec) string {
	var b strings.Builder
	for _, v := range e.Env {
		b.WriteString(quote(v) + " ")
	}
	if e.Script != "" {
		b.WriteString("script " + graphic(e.Script))
	}
	for i, w := range e.Argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quote(w))
	}
	fmt.Fprintf(&b, " (in %s", quote(e.Cwd))
	if e.Stdin != "" {
		fmt.Fprintf(&b, ", stdin %s", quote(e.Stdin))
	}
	if e.Background {
		b.WriteString(", in the background")
	}
	b.WriteByte(')')
	return b.String()
}

// quote shows a word as it is when nothing in it could be misread, else in quotes
// with escapes.
func quote(s string) string {
	if s == "" {
		return `""`
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_./=:,+@%", r):
		default:
			return graphic(s)
		}
	}
	return s
}

// graphic is a text in quotes with escapes. Letters of every script stand as they are;
// where one of them could pass for another or for none at all, the text stands a second
// time, with all but ASCII escaped.
func graphic(s string) string {
	q, ascii := strconv.Quote(s), strconv.QuoteToASCII(s)
	switch {
	case strings.IndexFunc(q, lookalike) < 0:
		return q
	case text.Clean(q) != q:
		return ascii
	}
	return q + " (written " + ascii + ")"
}

// lookalike reports a character that a reader may take for another one or may not see:
// all but ASCII, the accented letters of European languages, and a few signs of a lab.
func lookalike(r rune) bool {
	switch {
	case r < 0x80, r >= 0xc0 && r <= 0x130, r >= 0x132 && r < 0x17f:
		return false
	}
	return !strings.ContainsRune("§°±²³µ½€", r)
}
