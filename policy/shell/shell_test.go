package shell

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// commentForm is a comment that ends in a backslash, said in another way.
var commentForm = regexp.MustCompile(`#[^\n]*\\\n`)

func TestCommentGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringMatching(`([a#\\]|\n){0,8}`), rapid.String()).Draw(t, "text")
		if got, want := commentGoesOn(s), commentForm.MatchString(s); got != want {
			t.Fatalf("commentGoesOn(%q) = %v, want %v", s, got, want)
		}
	})
}
