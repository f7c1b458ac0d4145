package wording

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	for _, tt := range []struct{ word, want string }{
		{"unlistd", "unlisted"},
		{"versoin", "version"},
		{"zzzzzz", ""},
		{"", ""},
		{strings.Repeat("x", 1000), ""},
		{"naem", "name"},
		{"numctx", "num_ctx"},
		{"keep_alvie", "keep_alive"},
		{"NAME", "name"},
		{"größe", "größen"},
	} {
		if got := Nearest(tt.word, []string{"version", "unlisted", "tools", "name", "num_ctx", "keep_alive", "größen"}); got != tt.want {
			t.Errorf("%.20q: %q, want %q", tt.word, got, tt.want)
		}
	}
	if d := distance("ab", "ba"); d != 1 {
		t.Errorf("a swap counts %d", d)
	}
}
