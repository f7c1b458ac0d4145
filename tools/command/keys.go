package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"

	"hardshell/tools/args"
	"hardshell/tools/text"
)

// key is what a named key does to a command. There is no terminal between the two,
// so nothing turns keys into signals or edits a line: what a key does is done here.
type key struct {
	text   string         // goes to its stdin
	signal syscall.Signal // goes to its group
	eof    bool           // ends its stdin
	does   string
}

// keys are the names that the model can press.
var keys = map[string]key{
	"ctrl-c":    {signal: syscall.SIGINT, does: "SIGINT to its group"},
	"ctrl-\\":   {signal: syscall.SIGQUIT, does: "SIGQUIT to its group"},
	"ctrl-d":    {eof: true, does: "its stdin ended"},
	"enter":     {text: "\n"},
	"tab":       {text: "\t"},
	"space":     {text: " "},
	"escape":    {text: "\x1b"},
	"backspace": {text: "\x7f"},
	"delete":    {text: "\x1b[3~"},
	"up":        {text: "\x1b[A"},
	"down":      {text: "\x1b[B"},
	"right":     {text: "\x1b[C"},
	"left":      {text: "\x1b[D"},
	"home":      {text: "\x1b[H"},
	"end":       {text: "\x1b[F"},
	"page-up":   {text: "\x1b[5~"},
	"page-down": {text: "\x1b[6~"},
}

// press reads names of keys, in their order: "up up enter".
func press(names string) ([]key, error) {
	var out []key
	for name := range strings.FieldsSeq(strings.ToLower(names)) {
		k, ok := keys[name]
		if !ok {
			return nil, &args.Error{Field: "text", Message: fmt.Sprintf(`"text" names no key %q; the keys are %s, with a space between two; letters go through write`,
				text.Short(name), strings.Join(slices.Sorted(maps.Keys(keys)), ", "))}
		}
		if k.does == "" {
			k.does = fmt.Sprintf("%q to its stdin", k.text)
		}
		k.does = name + ": " + k.does
		out = append(out, k)
	}
	if len(out) == 0 {
		return nil, &args.Error{Field: "text", Message: `"text" must name a key, such as ctrl-c or enter`}
	}
	return out, nil
}
