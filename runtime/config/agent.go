package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"hardshell/runtime/event"
)

// Agent is one agent of several in one daemon. The main agent need not be written
// down. A key that is not set leaves what the key of the same meaning above says;
// over names that key, whose bounds hold here too.
type Agent struct {
	ID          string   `toml:"id" doc:"name of the agent: letters, digits, dot, dash and underscore"`
	Workspace   string   `toml:"workspace" over:"workspace" doc:"its folder; empty: the workspace above"`
	Model       string   `toml:"model" over:"model.name" doc:"its model; empty: model.name"`
	Think       string   `toml:"think" over:"model.think" doc:"its model.think"`
	Reasoning   string   `toml:"reasoning" over:"model.reasoning" doc:"its model.reasoning"`
	Overlay     string   `toml:"overlay" enum:"default,functiongemma,gemma,gpt-oss,granite,llama,qwen,smollm" doc:"family whose prompt overlay it gets; empty: the one of its model"`
	Skills      []string `toml:"skills" doc:"names of the skills that it may use; unset: all"`
	Profile     string   `toml:"profile" guard:"yes" doc:"profile of the policy file that narrows what it may do; empty: none"`
	FileChars   *int     `toml:"bootstrap_max_chars" over:"prompt.bootstrap_max_chars" doc:"its prompt.bootstrap_max_chars"`
	TotalChars  *int     `toml:"bootstrap_total_max_chars" over:"prompt.bootstrap_total_max_chars" doc:"its prompt.bootstrap_total_max_chars"`
	WindowShare *float64 `toml:"bootstrap_window_share" over:"prompt.bootstrap_window_share" doc:"its prompt.bootstrap_window_share"`
	SkillsChars *int     `toml:"max_skills_prompt_chars" over:"prompt.max_skills_prompt_chars" doc:"its prompt.max_skills_prompt_chars"`
	TimeFormat  string   `toml:"time_format" over:"prompt.time_format" doc:"its prompt.time_format"`
	CutNotice   string   `toml:"truncation_notice" over:"prompt.truncation_notice" doc:"its prompt.truncation_notice"`
	Citations   string   `toml:"memory_citations" over:"prompt.memory_citations" doc:"its prompt.memory_citations"`
	Delegation  string   `toml:"delegation" over:"prompt.delegation" doc:"its prompt.delegation"`
	ReplyTags   *bool    `toml:"reply_tags" over:"prompt.reply_tags" doc:"its prompt.reply_tags"`
}

// AgentIDs names every agent, the main agent first, the others in the order of the
// file.
func (c Config) AgentIDs() []string {
	out := []string{event.MainAgent}
	for _, a := range c.Agents {
		if a.ID != event.MainAgent {
			out = append(out, a.ID)
		}
	}
	return out
}

// Of is the config of one agent: the settings above with its own in their place,
// and its entry, which for the main agent may be empty but for the id. ok is false when
// there is no such agent.
func (c Config) Of(id string) (own Config, a Agent, ok bool) {
	i := slices.IndexFunc(c.Agents, func(a Agent) bool { return a.ID == id })
	switch {
	case id == event.MainAgent && i < 0:
		return c, Agent{ID: id}, true
	case id == event.MainAgent:
		return c, c.Agents[i], true // laid by Load
	case i < 0:
		return Config{}, Agent{}, false
	}
	if c.Shared != nil {
		c.lay(*c.Shared, "")
	}
	c.lay(c.Agents[i], indexed("agent", i))
	return c, c.Agents[i], true
}

// layMain puts what an [[agent]] named main sets in place of the settings above
// and keeps those for the other agents. Environment and flags still win.
func (c *Config) layMain() {
	i := slices.IndexFunc(c.Agents, func(a Agent) bool { return a.ID == event.MainAgent })
	if i < 0 {
		return
	}
	own, shared := c.Agents[i], Agent{}
	v, all := reflect.ValueOf(c).Elem(), fieldsOf(configType, "", nil)
	for _, f := range fieldsOf(agentType, "agent.", nil) {
		if f.over == "" {
			continue
		}
		above, _ := find(all, f.over)
		put(f.of(reflect.ValueOf(&shared).Elem()), above.of(v))
		if c.outside(f.over) {
			f.of(reflect.ValueOf(&own).Elem()).SetZero()
		}
	}
	c.Shared = &shared
	c.lay(own, indexed("agent", i))
}

// lay puts what an agent sets in place of the settings above. key is where its
// entry stands in the file, empty for none.
func (c *Config) lay(a Agent, key string) {
	from := maps.Clone(c.From)
	v, all := reflect.ValueOf(c).Elem(), fieldsOf(configType, "", nil)
	for _, f := range fieldsOf(agentType, "agent.", nil) {
		val := f.of(reflect.ValueOf(a))
		if f.over == "" || unset(val) {
			continue
		}
		above, _ := find(all, f.over)
		put(above.of(v), reflect.Indirect(val))
		if key != "" {
			from[f.over] = c.From[key+"."+f.last()]
		} else if !c.outside(f.over) {
			delete(from, f.over)
		}
	}
	c.From = from
}

// checkAgents looks at the list of agents.
func (c *Config) checkAgents(add func(key, format string, args ...any)) {
	seen := map[string]bool{}
	for i, a := range c.Agents {
		key := indexed("agent", i)
		switch {
		case a.ID == "":
			add(key, "[[agent]] number %d has no id: write id = \"name\"", i+1)
		case !plainName(a.ID):
			add(key+".id", "agent id %q is no name: use letters, digits, dot, dash and underscore, at most 64 of them", a.ID)
		case seen[a.ID]:
			add(key+".id", "agent id %q is there twice: give each agent a name of its own", a.ID)
		}
		seen[a.ID] = true
		v := reflect.ValueOf(c).Elem().FieldByName("Agents").Index(i)
		for _, f := range fieldsOf(agentType, "agent.", nil) {
			if unset(f.of(v)) {
				continue
			}
			if err := f.check(v); err != nil {
				add(key+"."+f.last(), "%s of agent %q %s", f.last(), a.ID, err)
			}
		}
		own := *c
		own.lay(a, key)
		if p := own.Prompt; p.FileChars > p.TotalChars && (a.FileChars != nil || a.TotalChars != nil) {
			add(key, "agent %q has bootstrap_max_chars = %d and bootstrap_total_max_chars = %d: lower the first or raise the second", a.ID, p.FileChars, p.TotalChars)
		}
		for n, s := range a.Skills {
			if !plainName(s) {
				add(key+".skills", "skills of agent %q: entry %d, %q, is no name of a skill: agent skills list names them", a.ID, n+1, s)
			}
		}
	}
}

// crossed names the folders that agents must not share. It is asked when all are
// absolute.
func (c *Config) crossed(at func(key, text string) Fault) []Fault {
	var out []Fault
	dirs := map[string]string{} // agent → workspace
	for _, id := range c.AgentIDs() {
		own, _, _ := c.Of(id)
		dirs[id] = own.Workspace
	}
	for _, id := range c.AgentIDs() {
		dir, key := dirs[id], c.workspaceKey(id)
		if dir == "" || c.State == "" {
			continue
		}
		if within(dir, c.State) {
			out = append(out, at(key, fmt.Sprintf("the workspace of agent %q, %s, lies in the state folder %s, which holds every agent's record and is hidden from all of them: name another folder", id, dir, c.State)))
		}
		for _, other := range c.AgentIDs() {
			if other != id && dir != dirs[other] && within(dir, dirs[other]) {
				out = append(out, at(key, fmt.Sprintf("the workspace of agent %q, %s, lies in that of agent %q, %s, which could then change its instructions: give each a folder of its own, or both the same", id, dir, other, dirs[other])))
			}
		}
	}
	return out
}

// workspaceKey is the key that an agent's workspace comes from.
func (c *Config) workspaceKey(id string) string {
	for i, a := range c.Agents {
		if a.ID == id && a.Workspace != "" && !(id == event.MainAgent && c.outside("workspace")) {
			return indexed("agent", i) + ".workspace"
		}
	}
	return "workspace"
}

// within reports whether a folder is another one or lies in it, by name.
func within(dir, top string) bool {
	rel, err := filepath.Rel(top, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
