package doctor

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Trouble is something that could not be done, with what to do about it.
type Trouble struct{ What, Action string }

// Facts is what is known of an agent. The zero value of each field is a fact that is
// in order, or that nobody looked up.
type Facts struct {
	Config, Policy, Workspace *Trouble // what can't be used
	ReadOnly                  *Trouble // why nothing can be written in the workspace
	Warnings                  []Trouble
	NoPolicy                  string  // path of the policy file that is not there
	Waivers                   []Named // rules that the operator switched off, with the reason
	Hooks                     []Named // that policy refuses, with the reason
	Sandbox                   Sandbox
	Audit                     Audit
	Server                    Server
	State                     State
	Files                     []File
	Skills                    []Named // that can't be read, with the reason
	Notices                   []Trouble
}

// Named is a name with a reason.
type Named struct{ Name, Why string }

// Sandbox is what holds commands.
type Sandbox struct {
	Missing string   // the layer that is not to be had
	Mend    string   // what gives it, where that is known
	Unheld  []string // limits that hold nothing here, each with its reason
	Weaker  bool     // commands run all the same
}

// Audit is how the record stands.
type Audit struct {
	Problems int
	First    string
	Unread   *Trouble // why it could not be looked at
}

// Server is the model server and the model.
type Server struct {
	Down     *Trouble // it can't be reached
	Model    string
	Missing  bool     // it does not have the model
	Unfit    *Trouble // why none of its models can be taken, where none is configured
	NoTools  bool     // the model takes no tool array
	Template bool     // the model's template was checked
	Lost     int      // bytes that it reads again in a short conversation
	Step     string   // where
}

// lowSpace is how little free space is worth a word, in bytes.
const lowSpace = 256 << 20

// State is the state folder.
type State struct {
	Dir    string
	There  bool
	Mode   fs.FileMode
	Locked *Trouble // why it can't be written to
	Free   uint64   // bytes, when There
	Aside  []string // files that were set aside as damaged
}

// File is a workspace file that goes into the prompt.
type File struct {
	Name    string
	Size    int    // in characters
	Limit   int    // prompt.bootstrap_max_chars
	Problem string // why it can't be read
}

// Look says what the facts mean, gravest first.
func Look(f Facts) []Finding {
	out := []Finding{}
	for _, part := range [][]Finding{f.settings(), f.Sandbox.findings(), f.Audit.findings(), f.Server.findings(), f.State.findings(), files(f.Files), f.rest()} {
		out = append(out, part...)
	}
	grave := []Level{Error, Warning, Note}
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(slices.Index(grave, a.Level), slices.Index(grave, b.Level)) })
	return out
}

// settings are the findings of config, policy and workspace.
func (f Facts) settings() []Finding {
	var out []Finding
	for _, one := range []struct {
		id, why string
		t       *Trouble
	}{
		{"config.wrong", "the agent does not start with it", f.Config},
		{"policy.wrong", "the agent does not start with it; one that runs keeps the last good policy", f.Policy},
		{"workspace.missing", "the agent does not start without the folder that it works in", f.Workspace},
	} {
		if one.t != nil {
			out = append(out, Finding{ID: one.id, Level: Error, What: one.t.What, Why: one.why, Action: one.t.Action})
		}
	}
	if t := f.ReadOnly; t != nil {
		out = append(out, Finding{
			ID: "workspace.read_only", Level: Warning, What: t.What,
			Why: "files there can be read, and every write of a tool or a command fails", Action: t.Action,
		})
	}
	for _, w := range f.Warnings {
		out = append(out, Finding{ID: "config.warning", Level: Warning, What: w.What, Why: "a setting does not do what it seems to", Action: cmp.Or(w.Action, "correct the config")})
	}
	if f.NoPolicy != "" {
		out = append(out, Finding{
			ID: "policy.none", Level: Warning, What: "there is no policy file " + f.NoPolicy,
			Why: "without one the agent may read the workspace and nothing else", Action: "agent init writes the lab policy", Fixable: true,
		})
	}
	for _, h := range f.Hooks {
		out = append(out, Finding{
			ID: "hook.refused", Level: Error, What: fmt.Sprintf("policy refuses the hook %s: %s", h.Name, h.Why),
			Why: "a hook that fails refuses the turn: nothing is sent to the model", Action: "add an exec rule for its command to policy.toml, or write off = true below the [[hook]]",
		})
	}
	for _, w := range f.Waivers {
		out = append(out, Finding{
			ID: "policy.waiver." + w.Name, Level: Note, What: fmt.Sprintf("the built-in rule %s is switched off: %s", w.Name, w.Why),
			Why: "what it denies is left to the other rules", Action: "take the waiver out of the policy file when its reason is gone",
		})
	}
	return out
}

func (s Sandbox) findings() []Finding {
	out := s.layers()
	for _, limit := range s.Unheld {
		out = append(out, Finding{
			ID: "sandbox.limit", Level: Warning, What: limit,
			Why: "a command can take more of the machine than the config lets it have", Action: "run the agent as a unit with Delegate=memory pids cpu on a machine with cgroup v2, or as an ordinary user",
		})
	}
	return out
}

// layers are the findings of layers that are missing.
func (s Sandbox) layers() []Finding {
	switch {
	case s.Missing == "":
		return nil
	case s.Weaker:
		return []Finding{{
			ID: "sandbox.weaker", Level: Warning, What: "commands run in a weaker sandbox: " + s.Missing,
			Why: "sandbox.weaker_ok allows it, and a command reaches more than the policy intends", Action: cmp.Or(s.Mend, "use a kernel that has the layer, or a policy that runs fewer programs"),
		}}
	}
	return []Finding{{
		ID: "sandbox.missing", Level: Error, What: "commands can't run: " + s.Missing,
		Why: "no command runs without every mandatory layer of its sandbox", Action: cmp.Or(s.Mend, "use a kernel that has the layer") + "; sandbox.weaker_ok = true does without it, and says so in each result",
	}}
}

func (a Audit) findings() []Finding {
	if t := a.Unread; t != nil {
		return []Finding{{
			ID: "audit.unread", Level: Error, What: "the audit was not looked at: " + t.What,
			Why: "whether the record of what was done is whole is not known", Action: cmp.Or(t.Action, "agent audit verify tries again"),
		}}
	}
	if a.Problems == 0 {
		return nil
	}
	return []Finding{{
		ID: "audit.broken", Level: Error, What: fmt.Sprintf("the audit is broken in %d places, first: %s", a.Problems, a.First),
		Why: "somebody or something changed the record of what was done", Action: "agent audit verify shows every place; keep a copy of the audit folder before you go on",
	}}
}

func (s Server) findings() []Finding {
	out := s.modelFindings()
	if s.NoTools {
		out = append(out, Finding{
			ID: "model.no_tools", Level: Warning, What: s.Model + " has no tool calls of its own",
			Why:    "the tools stand in its system text and its answers are held to JSON, so that it does less",
			Action: "agent model list shows models that can call tools; agent model use NAME takes one",
		})
	}
	return out
}

func (s Server) modelFindings() []Finding {
	switch {
	case s.Down != nil:
		return []Finding{{ID: "model.server", Level: Error, What: s.Down.What, Why: "no question can be answered without it", Action: cmp.Or(s.Down.Action, "start the model server")}}
	case s.Unfit != nil:
		return []Finding{{ID: "model.missing", Level: Error, What: s.Unfit.What, Why: "no question can be answered without one", Action: cmp.Or(s.Unfit.Action, "agent model pull NAME fetches one"), Fixable: true}}
	case s.Missing:
		return []Finding{{
			ID: "model.missing", Level: Error, What: "the model server does not have " + s.Model,
			Why: "no question can be answered without it", Action: "agent model pull " + s.Model + " fetches it, agent model list shows others", Fixable: true,
		}}
	case s.Template && s.Lost > 0:
		return []Finding{{
			ID: "model.template", Level: Warning, What: fmt.Sprintf("the template of %s is not cache-safe: %d bytes are read again, first when %s", s.Model, s.Lost, s.Step),
			Why: "the server reads much of the prompt anew at each turn, and answers come later", Action: "agent model check shows where, agent model fix " + s.Model + " makes a sibling that keeps its cache", Fixable: true,
		}}
	}
	return nil
}

func (s State) findings() []Finding {
	var out []Finding
	if !s.There {
		return nil
	}
	if t := s.Locked; t != nil {
		out = append(out, Finding{
			ID: "state.read_only", Level: Error, What: t.What,
			Why: "the agent does not start: what it accepts could not be kept; what was kept can be read", Action: t.Action,
		})
	}
	if open := s.Mode.Perm() & 0o077; open != 0 {
		out = append(out, Finding{
			ID: "state.open", Level: Warning, What: fmt.Sprintf("other users can get at the state folder %s (mode %04o)", s.Dir, s.Mode.Perm()),
			Why: "it holds conversations, approvals and the audit", Action: "chmod 700 " + s.Dir,
		})
	}
	if s.Free < lowSpace {
		out = append(out, Finding{
			ID: "state.space", Level: Warning, What: fmt.Sprintf("the disk of the state folder %s has %d MiB left", s.Dir, s.Free>>20),
			Why: "on a full disk nothing can be put on record, and no tool acts", Action: "free some space, or name a folder on another disk with --state",
		})
	}
	if len(s.Aside) > 0 {
		out = append(out, Finding{
			ID: "state.aside", Level: Warning, What: fmt.Sprintf("damaged files were set aside in %s: %s", s.Dir, strings.Join(s.Aside, ", ")),
			Why: "what they held is not in use any more", Action: "look at them, keep what you need, then delete them",
		})
	}
	return out
}

// files are the findings of the workspace's files.
func files(all []File) []Finding {
	var out []Finding
	for _, f := range all {
		switch {
		case f.Problem != "":
			out = append(out, Finding{
				ID: "workspace.unreadable", Level: Warning, What: fmt.Sprintf("%s is not in the prompt: %s", f.Name, f.Problem),
				Why: "the model does not know what it says", Action: "mend the file",
			})
		case f.Size > f.Limit:
			out = append(out, Finding{
				ID: "workspace.cut", Level: Warning, What: fmt.Sprintf("%s has %d characters and prompt.bootstrap_max_chars is %d", f.Name, f.Size, f.Limit),
				Why: "the model sees its beginning and its end only", Action: "shorten the file, or raise the limit",
			})
		}
	}
	return out
}

// rest are the findings of skills, and what the agent itself has to tell.
func (f Facts) rest() []Finding {
	var out []Finding
	for _, s := range f.Skills {
		out = append(out, Finding{
			ID: "skill.broken", Level: Warning, What: fmt.Sprintf("the skill %s is off: %s", s.Name, s.Why),
			Why: "its file can't be read as a skill", Action: "mend its SKILL.md; agent skills check looks again",
		})
	}
	for _, n := range f.Notices {
		out = append(out, Finding{ID: "agent.notice", Level: Warning, What: n.What, Why: "the agent says so of what it keeps", Action: cmp.Or(n.Action, "agent status shows more")})
	}
	return out
}
