package scripted

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Scene is what the model does about one request of a person.
type Scene struct {
	// Ask is how the person's message begins. Scenes are tried in order; the
	// last one has an empty Ask and takes everything else.
	Ask string
	// Steps are the model's messages in the order of the turn: the first answers
	// the person, each later one the results of the calls before it.
	Steps []Step
}

// Step is one message of the model: the first line whose When holds. The last
// line of a step has no When.
type Step []Line

// Line is one message of the model, word for word.
type Line struct {
	// When is a text that the newest tool result must hold within its first
	// Window bytes for this line to be taken; empty: always.
	When string
	// Text is said; Calls are made. A line has one or the other, since servers
	// drop a call that follows text.
	Text  string
	Calls []Call
	// Fenced writes the call as a text, in a fence, as small models do that
	// don't know their own call marks.
	Fenced bool
	// Endless makes the line start over when it ends: a model that never stops.
	Endless bool
}

// Call is one tool call of a line.
type Call struct {
	Name string
	Args string // a JSON object
}

// Window is how much of a tool result is searched for a line's When, in bytes.
const Window = 400

// say makes a step of one text.
func say(text string) Step { return Step{{Text: text}} }

// call makes a step of one tool call.
func call(name, args string) Step { return Step{{Calls: []Call{{name, args}}}} }

// bytes is what the model writes for the line, as the chat template would.
func (l Line) bytes() string {
	if len(l.Calls) == 0 {
		return l.Text
	}
	var b strings.Builder
	if l.Fenced {
		fmt.Fprintf(&b, "```json\n{\"name\": %q, \"arguments\": %s}\n```", l.Calls[0].Name, l.Calls[0].Args)
		return b.String()
	}
	b.WriteString(callOpen + "\n")
	for _, c := range l.Calls {
		fmt.Fprintf(&b, `{"name": %q, "arguments": %s}`+"\n", c.Name, c.Args)
	}
	b.WriteString(callClose)
	return b.String()
}

// after is the number of tool results that step i of a scene follows.
func (s Scene) after(i int) int {
	n := 0
	for _, step := range s.Steps[:i] {
		// Every line of a step makes equally many calls (Check sees to it).
		n += len(step[0].Calls)
	}
	return n
}

// Check finds what would make a script ambiguous, before any table is built.
func Check(script []Scene) error {
	if len(script) == 0 || script[len(script)-1].Ask != "" {
		return fmt.Errorf("the script has no closing scene: add one with an empty Ask")
	}
	for i, s := range script {
		if s.Ask == "" && i < len(script)-1 {
			return fmt.Errorf("scene %d has an empty Ask and hides the scenes after it: move it to the end", i)
		}
		for _, earlier := range script[:i] {
			if strings.HasPrefix(s.Ask, earlier.Ask) {
				return fmt.Errorf("scene %q is never reached: %q comes first and fits it too", s.Ask, earlier.Ask)
			}
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("scene %q: %w", s.Ask, err)
		}
	}
	return nil
}

// check looks at one scene by itself.
func (s Scene) check() error {
	if len(s.Steps) == 0 {
		return fmt.Errorf("it has no steps: add one")
	}
	for i, step := range s.Steps {
		last := i == len(s.Steps)-1
		for j, l := range step {
			switch {
			case (l.Text == "") == (len(l.Calls) == 0):
				return fmt.Errorf("step %d, line %d: give it either a text or calls", i, j)
			case (l.When == "") != (j == len(step)-1):
				return fmt.Errorf("step %d, line %d: every line but the last needs a When, the last has none", i, j)
			case l.Fenced && len(l.Calls) != 1:
				return fmt.Errorf("step %d, line %d: a fence holds exactly one call", i, j)
			case l.When != "" && i == 0:
				return fmt.Errorf("step %d, line %d: there is no result yet for its When", i, j)
			case len(l.Calls) != len(step[0].Calls):
				return fmt.Errorf("step %d: its lines make different numbers of calls", i)
			case last != (len(l.Calls) == 0):
				return fmt.Errorf("step %d, line %d: calls belong before the last step, the answer into it", i, j)
			}
			for _, c := range l.Calls {
				var args map[string]any
				if err := json.Unmarshal([]byte(c.Args), &args); err != nil {
					return fmt.Errorf("step %d: the arguments of %s are no JSON object: %w", i, c.Name, err)
				}
			}
		}
	}
	return nil
}
