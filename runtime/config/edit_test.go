package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetString(t *testing.T) {
	for _, tt := range []struct{ name, src, key, val, want string }{
		{"new file", "", "model.name", "a", "# Settings of hardshell; agent config schema explains every key.\n\n[model]\nname = \"a\"\n"},
		{"replaced, comment kept", "# top\n[model]\nname = \"o\\\"ld\"  # mine\nnum_ctx = 4096\n", "model.name", "a\"b", "# top\n[model]\nname = \"a\\\"b\"  # mine\nnum_ctx = 4096\n"},
		{"hash within the text", "[model]\nname = 'a # b'\n", "model.name", "x", "[model]\nname = \"x\"\n"},
		{"section there", "[model]\nnum_ctx = 4096\n[turn]\n", "model.name", "a", "[model]\nname = \"a\"\nnum_ctx = 4096\n[turn]\n"},
		{"section without line end", "[model]", "model.name", "a", "[model]\nname = \"a\"\n"},
		{"section not there, no line end", "board = \"sim\"", "model.name", "a", "board = \"sim\"\n\n[model]\nname = \"a\"\n"},
		{"top level", "# c\n[model]\n", "board", "sim", "board = \"sim\"\n# c\n[model]\n"},
		{"BOM and CRLF", "\ufeff[model]\r\nname = \"x\"\r\n", "model.name", "y", "\ufeff[model]\r\nname = \"y\"\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := SetString("/c.toml", []byte(tt.src), tt.key, tt.val)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, string(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSetStringRefuses(t *testing.T) {
	for _, tt := range []struct{ name, src, key, want string }{
		{"no such key", "", "model.nane", "there is no text setting model.nane: agent config schema lists every key"},
		{"guarded", "", "policy", "policy decides what the agent may do, so only you change it: set it in your editor"},
		{"no text", "", "model.num_ctx", "there is no text setting model.num_ctx: agent config schema lists every key"},
		{"inline table", "model = {name = \"x\"}\n", "model.name", `model.name on line 1 of /c.toml is written in a form that can't be changed by itself: write name = "new" in your editor`},
		{"inline table without it", "model = {num_ctx = 4096}\n", "model.name", `model on line 1 of /c.toml is written in a form that can't be changed by itself: write name = "new" in your editor`},
		{"many lines", "[model]\nname = \"\"\"\nx\"\"\"\n", "model.name", `model.name on line 2 of /c.toml is written in a form that can't be changed by itself: write name = "new" in your editor`},
		{"dotted", "model.name = \"x\"\n", "model.name", `model.name on line 1 of /c.toml is written in a form that can't be changed by itself: write name = "new" in your editor`},
		{"broken", "name = ", "model.name", "/c.toml:1:7: line 1, column 7: expected value, not end of input: correct the file's TOML\n   1 | name = \n     |       ^"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := SetString("/c.toml", []byte(tt.src), tt.key, "new")
			if got := message(err); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestSetStringChecksItself holds that a text which TOML can't carry is refused
// rather than changed on the way.
func TestSetStringChecksItself(t *testing.T) {
	_, err := SetString("/c.toml", []byte("[model]\n"), "model.name", "a\xffb")
	if got, want := message(err), "model.name of /c.toml can't be changed by itself: set it in your editor"; got != want {
		t.Errorf("got %s", got)
	}
}

// FuzzSetString holds that an edit changes one key and nothing else, or refuses.
func FuzzSetString(f *testing.F) {
	for _, s := range []string{"", "[model]\nname='x'\n", "[model]#c\n", "model.name='x'\n", "[ model ]\n'name' = \"\"\"a\"\"\"\n", "x=1\r\n[model]\r\n\"name\"=\"q\" # c\r\n"} {
		f.Add(s, "new")
	}
	f.Fuzz(func(t *testing.T, src, val string) {
		out, err := SetString("/c.toml", []byte(src), "model.name", val)
		if err != nil {
			return
		}
		g, bad := parse("/c.toml", out)
		if bad != nil {
			t.Fatalf("broke the file: %q: %v", out, bad)
		}
		if got := g.values["model"].(map[string]any)["name"]; got != val {
			t.Fatalf("set %q, reads %q", val, got)
		}
	})
}
