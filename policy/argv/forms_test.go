package argv

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// The forms as expressions, which say the same in another way.
var (
	intForm  = regexp.MustCompile(`^[+-]?[0-9]{1,18}$`)
	numForm  = regexp.MustCompile(`^[+-]?[0-9]{1,18}(\.[0-9]{1,18})?[A-Za-z%]{0,3}$`)
	nameForm = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.:,@+-]{0,127}$`)
)

func TestForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.StringMatching(`[+-]?[0-9]{0,20}[.]?[0-9]{0,20}[A-Za-z%]{0,4}`),
			rapid.StringMatching(`[-A-Za-z0-9_.:,@+/é]{0,6}([a-z]{126})?[a-z]{0,3}`),
			rapid.StringMatching(`([a#\\]|\n){0,8}`),
			rapid.String(),
		).Draw(t, "word")
		for _, f := range []struct {
			name      string
			got, want bool
		}{
			{"wholeNumber", WholeNumber(s), intForm.MatchString(s)},
			{"anyNumber", anyNumber(s), numForm.MatchString(s)},
			{"plainName", PlainName(s), nameForm.MatchString(s)},
		} {
			if f.got != f.want {
				t.Fatalf("%s(%q) = %v, want %v", f.name, s, f.got, f.want)
			}
		}
	})
}
