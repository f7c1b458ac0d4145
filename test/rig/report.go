package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
)

// result is what came of one test of the machine.
type result struct {
	name   string // as go test names it, with its parents
	action string // pass, fail or skip
	text   string // what it said
}

// reason is why it was skipped.
func (r result) reason() string {
	m := said.FindAllStringSubmatch(r.text, -1)
	if len(m) == 0 {
		return "no reason given"
	}
	return m[len(m)-1][1]
}

// said is a line that a test wrote.
var said = regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: (.*)$`)

// results reads the words of a test binary that ran with -test.v=test2json. What
// belongs to no test comes last, without a name.
func results(ctx context.Context, text string) ([]result, error) {
	cmd := exec.CommandContext(ctx, "go", "tool", "test2json")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go tool test2json: %w", err)
	}
	var list []result
	words := map[string]*strings.Builder{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var e struct{ Action, Test, Output string }
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			return append(list, result{text: words[""].String()}), nil
		} else if err != nil {
			return nil, fmt.Errorf("read what go tool test2json wrote: %w", err)
		}
		if words[e.Test] == nil {
			words[e.Test] = &strings.Builder{}
		}
		switch e.Action {
		case "output":
			words[e.Test].WriteString(e.Output)
		case "pass", "fail", "skip":
			if e.Test != "" {
				list = append(list, result{e.Test, e.Action, words[e.Test].String()})
			}
		}
	}
}
