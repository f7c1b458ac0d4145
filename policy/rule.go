package policy

import "hardshell/policy/argv"

// execRule allows, asks for or denies commands of one form.
type execRule struct {
	id      string
	verdict Verdict
	why     string
	hint    string // what to do instead
	pattern argv.Pattern
	form    string // the pattern as the file writes it, without its flags
	// hash binds a program in a writable place to its contents.
	hash string
	// confined turns allow into ask while the sandbox is not complete.
	confined bool
	// reads marks programs that only read and print, whatever their words are: in
	// the complete sandbox they may get words that nobody can foresee.
	reads  bool
	rate   rate
	grants Grants

	at       span
	match    []example
	notMatch []example
}

// example is a command that a rule must or must not match.
type example struct {
	argv []string
	at   span
}

// fileRule allows, asks for or denies operations on paths.
type fileRule struct {
	id      string
	verdict Verdict
	why     string
	// root is a named folder (Facts.Roots), or empty for an absolute pattern.
	root string
	// pattern is relative to the root, or absolute; ** stands for any folders.
	pattern string
	glob    argv.Glob // the pattern, compiled
	ops     ops

	at       span
	match    []example // one word each
	notMatch []example
}

// form is what the rule covers, in one line.
func (r *fileRule) form() string {
	form := r.pattern
	if r.root != "" {
		form = "{" + r.root + "}/" + r.pattern
	}
	return form + ": " + r.ops.String()
}

// Grants is what a command may reach besides its folders, by the rule that
// allowed it. The sandbox hands out nothing else.
type Grants struct {
	// Devices are path patterns of device nodes, Sys of read-only files in /sys.
	Devices []string `json:"devices,omitempty"`
	Sys     []string `json:"sys,omitempty"`
	// Starts are the programs that the command may start by itself, as a compiler
	// starts its assembler.
	Starts []string `json:"starts,omitempty"`
	// Notes are what the person and the model should know of the command's output.
	Notes []string `json:"notes,omitempty"`
	// Read are files outside of the workspace, links followed, whose contents the
	// rules open to the command. List are those of which it may see names and
	// metadata; there are none where something in the action could read more than
	// its words say.
	Read []string `json:"read,omitempty"`
	List []string `json:"list,omitempty"`
	// Repos is true when a person is asked about a command of git, which may then change
	// repositories; no other command may. Free is true when something in the action can
	// make files that its words don't name.
	Repos bool `json:"repos,omitempty"`
	Free  bool `json:"free,omitempty"`
}

// empty is true when nothing is granted.
func (g Grants) empty() bool {
	return len(g.Devices)+len(g.Sys)+len(g.Starts)+len(g.Notes)+len(g.Read)+len(g.List) == 0 && !g.Repos && !g.Free
}

// waiver switches one built-in rule off.
type waiver struct {
	rule, why string
}

// Rule is what a person may see of a rule.
type Rule struct {
	ID      string  `json:"id"`
	Kind    string  `json:"kind"` // builtin, exec, file, unattended, profile
	Verdict Verdict `json:"verdict"`
	Form    string  `json:"form"`
	Why     string  `json:"why"`
	// Waived is the operator's reason for switching a built-in rule off.
	Waived string `json:"waived,omitempty"`
}
