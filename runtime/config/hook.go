package config

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"hardshell/policy/wording"
)

// Events that a hook may answer to.
const (
	// hookBootstrap comes before the workspace files enter a session's prompt.
	hookBootstrap = "agent:bootstrap"
	// hookTurn comes before a message is sent to the model.
	hookTurn = "before_prompt_build"
)

// Hook is a program of the operator that adds to the prompt. It runs as commands
// do: confined, judged by policy, on record.
type Hook struct {
	Name    string   `toml:"name" guard:"yes" doc:"name of the hook, for messages and the record: letters, digits, dot, dash and underscore"`
	On      string   `toml:"on" guard:"yes" enum:"agent:bootstrap,before_prompt_build" doc:"agent:bootstrap may replace or add workspace files when a session's prompt is made; before_prompt_build may add to what is sent with a message"`
	Command []string `toml:"command" guard:"yes" doc:"the program by its absolute path, and its arguments; it reads one JSON object from stdin and writes one"`
	Agents  []string `toml:"agents" guard:"yes" doc:"agents that have it; unset: all"`
	Timeout Duration `toml:"timeout" guard:"yes" min:"100ms" max:"5m" doc:"time that it may take; unset: 5s"`
	Output  ByteSize `toml:"max_output" guard:"yes" min:"256B" max:"1MiB" doc:"what it may write; unset: 64KiB"`
	Off     bool     `toml:"off" guard:"yes" doc:"leave it out; a hook that fails refuses the turn, so this is how to do without it"`
}

// What a hook may take when its entry does not say.
const (
	hookTimeout = Duration(5 * time.Second)
	hookOutput  = ByteSize(64 << 10)
)

// HooksOf are the hooks of an agent that are not off, in the order of the file.
func (c Config) HooksOf(id string) []Hook {
	var out []Hook
	for _, h := range c.Hooks {
		if !h.Off && (h.Agents == nil || slices.Contains(h.Agents, id)) {
			out = append(out, h)
		}
	}
	return out
}

// checkHooks looks at the list of hooks and fills in what it leaves open.
func (c *Config) checkHooks(add func(key, format string, args ...any)) {
	seen := map[string]bool{}
	for i := range c.Hooks {
		h, key := &c.Hooks[i], indexed("hook", i)
		switch {
		case h.Name == "":
			add(key, "[[hook]] number %d has no name: write name = \"what-it-does\"", i+1)
		case !plainName(h.Name):
			add(key+".name", "hook name %q is no name: use letters, digits, dot, dash and underscore, at most 64 of them", h.Name)
		case seen[h.Name]:
			add(key+".name", "hook %q is there twice: give each hook a name of its own", h.Name)
		}
		seen[h.Name] = true
		if h.On == "" {
			add(key, "hook %q does not say when it runs: write on = %q or on = %q", h.Name, hookBootstrap, hookTurn)
		}
		if len(h.Command) == 0 || !filepath.IsAbs(h.Command[0]) {
			add(key, "hook %q names no program: write command = [\"/path/to/program\"], with an absolute path", h.Name)
		}
		for _, id := range h.Agents {
			if !slices.Contains(c.AgentIDs(), id) {
				add(key+".agents", "hook %q is for agent %q, which is not there%s", h.Name, id, meant(id, c.AgentIDs()))
			}
		}
		v := reflect.ValueOf(c).Elem().FieldByName("Hooks").Index(i)
		for _, f := range fieldsOf(hookType, "hook.", nil) {
			if c.From[key+"."+f.last()] == "" {
				continue
			}
			if err := f.check(v); err != nil {
				add(key+"."+f.last(), "%s of hook %q %s", f.last(), h.Name, err)
			}
		}
		if h.Timeout == 0 && c.From[key+".timeout"] == "" {
			h.Timeout = hookTimeout
		}
		if h.Output == 0 && c.From[key+".max_output"] == "" {
			h.Output = hookOutput
		}
	}
}

// meant asks whether another agent was meant, or names them all when none is near.
func meant(word string, list []string) string {
	if n := wording.Nearest(word, list); n != "" {
		return ", did you mean " + n + "?"
	}
	return ": the agents are " + strings.Join(list, ", ")
}
