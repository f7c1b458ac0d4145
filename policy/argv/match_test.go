package argv

import (
	"encoding/json"
	"strings"
	"testing"
)

// patternOf makes a pattern the way the reader of the file does.
func patternOf(t *testing.T, argv, flags string) Pattern {
	t.Helper()
	var places []any
	if err := json.Unmarshal([]byte("["+argv+"]"), &places); err != nil {
		t.Fatal(err)
	}
	var elems []Element
	for _, p := range places {
		switch p := p.(type) {
		case string:
			e, err := ParseElement(p)
			if err != nil {
				t.Fatal(err)
			}
			elems = append(elems, e)
		case []any:
			var words []string
			for _, w := range p {
				words = append(words, w.(string))
			}
			elems = append(elems, OneOf(words))
		}
	}
	p, err := Compile(elems)
	if err != nil {
		t.Fatal(err)
	}
	var allowed []string
	if err := json.Unmarshal([]byte("["+flags+"]"), &allowed); err != nil {
		t.Fatal(err)
	}
	for _, f := range allowed {
		if err := p.AllowFlag(f); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// TestPatterns tries words against the forms of rules.
func TestPatterns(t *testing.T) {
	tests := []struct {
		argv, flags string
		yes, no     []string // words after the program, split at blanks
	}{
		{`"p"`, "", []string{""}, []string{"x", "-x", "--"}},
		{`"p", "a", ["b", "c"]`, "", []string{"a b", "a c"}, []string{"a", "a d", "a b c", "b a"}},
		{`"p", "{word}", "{int}"`, "", []string{"x 1", "x -1", "x +12"}, []string{"x", "x 1.5", "-x 1", "x y", "x 1 2"}},
		{`"p", "{num?}"`, "", []string{"", "1", "1.5", "10k", "5%", "3s"}, []string{"1 2", "x", "1e9x9", "0x10y", "infinity"}},
		{`"p", "{name...}"`, "", []string{"", "hw:0,0", "a b c", "ssh.service"}, []string{"a/b", "-a", "a b/", "a=b", "*"}},
		{`"p", "{of:a,b}"`, "", []string{"a", "a,b", "b,b"}, []string{"c", "a,", "a,c", ",a"}},
		{`"p", "{text...}"`, "", []string{"", "-x --y -", "a b"}, nil},
		{`"p", "{rest...}", "end"`, "", []string{"end", "-x y end"}, []string{"", "end x"}},
		{`"p", "{path:read...}", "{path:write}"`, "", []string{"a", "a b c", "-"}, []string{"", "-x", "a @b", "--", "a -b"}},
		{`"p", "{path:read *.c *.h}"`, "", []string{"a.c", "x/a.h"}, []string{"a.o", "@a.c", "-.c", "h:a.c"}},
		{`"p", "{path:local}"`, "", []string{"a.tar"}, []string{"host:a.tar", "a:b"}},
		{
			`"p", "{flags}", "{path:read...}"`, `"-a", "-b", "-n {int}", "--long", "--len {int}", "--color={word}"`,
			[]string{"", "-a", "-ab", "-abn3", "-an 3", "-n3", "-n -3", "a -b", "-a a b", "--long a", "--len 3", "--len=3", "--color=x", "--", "-a -- x"},
			[]string{"-c", "-ac", "-nx", "-n", "-an", "--lon", "--long=3", "--len", "--len=x", "-n=3", "--color", "--colo=x", "-a=3", "-- -a", "---", "-é"},
		},
		{`"p", "{flags}", "{word}"`, `"-q"`, []string{"x", "-q x", "-- -x", "x -q"}, []string{"", "-x", "x y", "--"}},
		{`"p", "{flags}"`, `"-{int}", "-j{int}"`, []string{"-5", "-500", "-j4"}, []string{"-5x", "-x5", "5", "-j", "-jx"}},
		{`"p", "{flags}", "{path:list...}"`, `"-name {word}", "-L", "!", "("`, []string{". -name x", "-name -x", "! -L", "( a"}, []string{"-nam x", "-Lname", "-LL", "-n", "-delete"}},
		{`"p", "{flags}"`, `"-br", "-4", "-6"`, []string{"-br -4", "-6 -4"}, []string{"-46", "-44", "-b", "-rb"}},
		{`"p", "{flags}"`, `"+{text}"`, []string{"+%F", "+", ""}, []string{"%F", "x"}},
		{`"p", "{flags}", "{path:read}"`, `"-o {path:write}", "-O2"`, []string{"-o x a", "-ox a", "-O2 a"}, []string{"-O3 a", "-o -x a", "-x a", "-o @x a"}},
		{`"p", "sub", "{flags}"`, `"-v"`, []string{"sub", "sub -v"}, []string{"-v sub", "-v", ""}},
	}
	for _, tt := range tests {
		p := patternOf(t, tt.argv, tt.flags)
		for _, line := range tt.yes {
			if _, bad, _ := p.Match(Literals(strings.Fields(line)), false); bad != "" {
				t.Errorf("%s: %q must match: %s", p.String(), line, bad)
			}
		}
		for _, line := range tt.no {
			if _, bad, _ := p.Match(Literals(strings.Fields(line)), false); bad == "" {
				t.Errorf("%s: %q must not match", p.String(), line)
			}
		}
	}
}

// TestUnknownWords tries words of which a script does not tell all: an allowing
// rule takes them only where anything is harmless, a denying one wherever they
// could fit.
func TestUnknownWords(t *testing.T) {
	some, many, num, pre := Word{Kind: Unknown}, Word{Kind: Several}, Word{Kind: Number}, Word{"out-", Unknown}
	tests := []struct {
		argv, flags  string
		words        []Word
		narrow, wide bool
	}{
		{`"p", "{text...}"`, "", []Word{some, many, num}, true, true},
		{`"p", "{text}"`, "", []Word{many}, false, true},
		{`"p", "{word}"`, "", []Word{some}, false, true},
		{`"p", "{word}"`, "", []Word{pre}, true, true},
		{`"p", "{word}"`, "", []Word{num}, true, true},
		{`"p", "{word}"`, "", []Word{{"-x", Unknown}}, false, true},
		{`"p", "{int}"`, "", []Word{num}, true, true},
		{`"p", "{int}"`, "", []Word{some}, false, true},
		{`"p", "{name}"`, "", []Word{num}, false, true},
		{`"p", "{path:read}"`, "", []Word{some}, false, true},
		{`"p", "{path:read}"`, "", []Word{pre}, false, true},
		{`"p", "{path:read}"`, "", []Word{num}, false, true},
		{`"p", "{rest...}"`, "", []Word{some}, false, true},
		{`"p", "x"`, "", []Word{some}, false, true},
		{`"p", "{flags}", "{text...}"`, `"-a"`, []Word{some}, false, true},
		{`"p", "{flags}", "{text...}"`, `"-a"`, []Word{{Text: "--"}, some}, true, true},
		{`"p", "{flags}", "{text...}"`, `"-a"`, []Word{pre}, true, true},
		{`"p", "{flags}", "{path:read...}"`, `"-e {word}"`, []Word{{Text: "-e"}, some}, true, true},
		{`"p", "{flags}", "{path:read...}"`, `"--since {word}"`, []Word{{"--since=", Unknown}}, true, true},
		{`"p", "{flags}", "{path:read...}"`, `"-e {word}"`, []Word{{Text: "-e"}, many}, false, true},
	}
	for _, tt := range tests {
		p := patternOf(t, tt.argv, tt.flags)
		_, narrow, _ := p.Match(tt.words, false)
		_, wide, _ := p.Match(tt.words, true)
		if (narrow == "") != tt.narrow || (wide == "") != tt.wide {
			t.Errorf("%s with %s: allowing %q, denying %q", p.String(), Show(tt.words), narrow, wide)
		}
	}
}
