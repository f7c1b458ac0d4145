package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hardshell/runtime/message"
)

// spelled is a text as a JSON string, each letter in one of the ways that JSON has.
func spelled(rt *rapid.T, s string) string {
	var b strings.Builder
	for _, r := range s {
		plain := strings.Trim(literal(string(r)), `"`)
		if r == '"' {
			plain = `\"`
		}
		if rapid.Bool().Draw(rt, "plain") {
			b.WriteString(plain)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return `"` + b.String() + `"`
}

// pad is white space as JSON allows it.
func pad(rt *rapid.T) string { return rapid.StringMatching(`[ \t\r\n]{0,3}`).Draw(rt, "pad") }

// pieces cuts a text anywhere between bytes.
func pieces(rt *rapid.T, s string) []string {
	var out []string
	for s != "" {
		n := rapid.IntRange(1, min(len(s), 7)).Draw(rt, "piece")
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

// However an envelope is spelled, padded and cut into pieces, its words are streamed
// as they were meant, whole letters only, all of them before the end; and a call is a
// call with the bytes of its arguments.
func TestOpener_AnyChunking(t *testing.T) {
	letters := rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("a\"\\/\n\t\x00{}:é€😀𝄞\uFFFD\u2028")))
	rapid.Check(t, func(rt *rapid.T) {
		words := string(rapid.SliceOfN(letters, 0, 30).Draw(rt, "words"))
		raw := pad(rt) + "{" + pad(rt) + `"say"` + pad(rt) + ":" + pad(rt) + spelled(rt, words) + pad(rt) + "}" + pad(rt)
		var o opener
		var seen strings.Builder
		for _, p := range pieces(rt, raw) {
			w := o.write(p)
			if !utf8.ValidString(w) || !strings.HasPrefix(words, seen.String()+w) {
				rt.Fatalf("after %q: %q", seen.String(), w)
			}
			seen.WriteString(w)
		}
		rest, call, err := o.open()
		if err != nil || call != nil || rest != "" || seen.String() != words {
			rt.Fatalf("words %q: said %q, rest %q, call %v, error %v", words, seen.String(), rest, call, err)
		}
		args := "{" + spelled(rt, "a") + ":[" + spelled(rt, words) + ",1e3]}"
		raw = pad(rt) + "{" + pad(rt) + `"tool"` + pad(rt) + ":" + spelled(rt, "exec") + `,"args":` + pad(rt) + args + pad(rt) + "}" + pad(rt)
		o = opener{}
		for _, p := range pieces(rt, raw) {
			if w := o.write(p); w != "" {
				rt.Fatalf("a call is said: %q", w)
			}
		}
		_, call, err = o.open()
		if d := cmp.Diff(&message.Call{Name: "exec", Args: json.RawMessage(args)}, call); d != "" || err != nil {
			rt.Fatalf("%v %s", err, d)
		}
		cut := rapid.IntRange(0, len(strings.TrimRight(raw, " \t\r\n"))-1).Draw(rt, "cut")
		if _, call, err = (&opener{raw: raw[:cut]}).open(); err == nil {
			rt.Fatalf("%q is a call: %v", raw[:cut], call)
		}
	})
}

// Surrogates that make no letter are shown as such, cut anywhere.
func TestOpener_LoneSurrogates(t *testing.T) {
	for in, want := range map[string]string{
		`\ud83dx`: "\uFFFDx", `\ud83d`: "\uFFFD", `\ude00`: "\uFFFD", `\ud83d\ud83d\ude00`: "\uFFFD😀", `\ud83d\n`: "\uFFFD\n", `\ud83d\u0041`: "\uFFFDA",
	} {
		var o opener
		var seen strings.Builder
		for i := range len(`{"say":"` + in + `"}`) {
			seen.WriteString(o.write((`{"say":"` + in + `"}`)[i : i+1]))
		}
		if rest, _, err := o.open(); err != nil || rest != "" || seen.String() != want {
			t.Errorf("%s: %q, rest %q, %v; want %q", in, seen.String(), rest, err, want)
		}
	}
}

func TestOpener_NothingElse(t *testing.T) {
	for _, raw := range []string{
		``, `hello`, `"say"`, `null`, `[]`, `{}`, `{"say":1}`, `{"say":null}`, `{"say":"a"`, `{"say":"a"}}`, `{"say":"a"} b`, `x{"say":"a"}`,
		`{"say":"a"}{"say":"b"}`, `{"say":"a","say":"b"}`, `{"say":"a","tool":"exec","args":{}}`, `{"Say":"a"}`, "{\"say\":\"a\nb\"}", `{"say":"\x"}`, `{"say":"\u12g4"}`,
		`{"tool":"exec"}`, `{"tool":"exec","args":[]}`, `{"tool":"exec","args":"{}"}`, `{"tool":"exec","args":null}`, `{"tool":1,"args":{}}`,
		`{"tool":"exec","args":{},"say":"a"}`, `{"tool":"exec","tool":"read"}`, `{"args":{},"args":{}}`, "\u00a0{\"say\":\"a\"}", "```json\n{\"say\":\"a\"}\n```",
	} {
		var o opener
		o.write(raw)
		if rest, call, err := o.open(); err == nil {
			t.Errorf("%q is taken: rest %q, call %v", raw, rest, call)
		}
	}
}
