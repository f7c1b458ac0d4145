package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"hardshell/policy"
	"hardshell/tools/lookup"
	"hardshell/tools/secret"
	"hardshell/tools/text"
)

// Config is what a registry is made of.
type Config struct {
	// Policy gives the policy in force. It is asked anew for each call, so that a
	// reload reaches the next one.
	Policy   func() Policy
	Approver Approver
	Auditor  Auditor
	Tools    []Tool
	// Roots are the named folders that policy's path rules speak of.
	Roots map[string]string
	// Dir is where relative paths start, the workspace.
	Dir string
	// CommandUID is the user that commands run as.
	CommandUID int
	// Confined is true when every mandatory layer of the sandbox holds commands.
	Confined bool
	// Deadline is how long a question to a person stays open
	// (approvals.deadline); zero takes ten minutes.
	Deadline time.Duration
	// Redactor takes secret values out of results, updates and records.
	Redactor *secret.Redactor
	Now      func() time.Time
	// Uses remembers the uses of rules with a rate; nil forgets them with the registry.
	Uses *Uses
	// NextQuestion numbers questions, over restarts too; nil counts from 1.
	NextQuestion func() (string, error)
	// ProgramDirs are searched for programs; empty takes SystemDirs.
	ProgramDirs []string
}

// Registry is the one door: it holds the tools and takes every call through the
// same steps.
type Registry struct {
	cfg   Config
	tools []Tool // in the order of the array
	asked atomic.Int64
}

// NewRegistry makes the door. Two tools of one name are a fault of the program.
func NewRegistry(cfg Config) *Registry {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Uses == nil {
		cfg.Uses = &Uses{}
	}
	if cfg.Deadline <= 0 {
		cfg.Deadline = 10 * time.Minute
	}
	if len(cfg.ProgramDirs) == 0 {
		cfg.ProgramDirs = lookup.SystemDirs()
	}
	r := &Registry{cfg: cfg, tools: inOrder(cfg.Tools)}
	for i := 1; i < len(r.tools); i++ {
		if r.tools[i-1].Spec().Name == r.tools[i].Spec().Name {
			panic("tools: internal error: two tools are named " + r.tools[i].Spec().Name)
		}
	}
	return r
}

// inOrder sorts tools for the array, those of no rank by name.
func inOrder(ts []Tool) []Tool {
	return slices.SortedStableFunc(slices.Values(ts), func(a, b Tool) int {
		x, y := a.Spec().Name, b.Spec().Name
		return cmp.Or(cmp.Compare(policy.ToolRank(x), policy.ToolRank(y)), cmp.Compare(x, y))
	})
}

// Specs are the tools to offer, in the fixed order of the array: those that the
// policy's tool list lets through.
func (r *Registry) Specs() []Spec {
	pol := r.cfg.Policy()
	out := []Spec{}
	for _, t := range r.tools {
		if s := t.Spec(); pol.Offers(s.Name) {
			out = append(out, s)
		}
	}
	return out
}

// find gives a tool by its exact name.
func (r *Registry) find(name string) Tool {
	for _, t := range r.tools {
		if t.Spec().Name == name {
			return t
		}
	}
	return nil
}

// unknown is the result of a call that names no tool. It says what exists and
// nothing that reads like a matter of permission, or a model tries again.
func (r *Registry) unknown(name string, from Origin) Result {
	name = r.cfg.Redactor.Redact(name) // before it is cut
	var names []string
	for _, s := range r.Specs() {
		if from.lets(s.Name) {
			names = append(names, s.Name)
		}
	}
	said := fmt.Sprintf("no such tool: %q. ", text.Short(name))
	if n := nearest(name, names); n != "" {
		said = fmt.Sprintf("no such tool, nearest: %s (there is no %q). ", n, text.Short(name))
	}
	return Result{Outcome: Unknown, Text: said + "The tools are " + list(names) + ". Nothing was done."}
}

func list(names []string) string {
	if len(names) == 0 {
		return "none at all"
	}
	out := names[0]
	for _, n := range names[1:] {
		out += ", " + n
	}
	return out
}

// nextQuestion numbers questions.
func (r *Registry) nextQuestion() (string, error) {
	if r.cfg.NextQuestion != nil {
		return r.cfg.NextQuestion()
	}
	return "a" + strconv.FormatInt(r.asked.Add(1), 10), nil
}

// offered reports whether the policy in force and the origin let a tool be used at
// all.
func offered(pol Policy, from Origin, name string) (policy.Decision, bool) {
	rule, why := "tools.not-offered", "the policy's tool list, or the profile in force, leaves this tool out"
	hint := "use another tool; the operator can add it to the tool list of policy.toml, or look at the profile"
	switch {
	case !pol.Offers(name):
	case !from.lets(name):
		rule, why = "tools.not-granted", "this session was started without it"
		hint = "say in the answer what is missing; the tools of this session are " + list(from.Only)
	default:
		return policy.Decision{}, true
	}
	return policy.Decision{
		Verdict: policy.Deny, Rule: rule, Reason: "the tool " + name + " is not offered: " + why, Hint: hint,
		Matched: []policy.Match{{Rule: rule, Verdict: policy.Deny, Why: why}},
	}, false
}

// refusal is the decision for a call that was refused before policy was asked.
func refusal(e *Refusal) policy.Decision {
	return policy.Decision{
		Verdict: policy.Deny, Rule: e.Rule, Reason: e.Reason, Hint: e.Hint,
		Matched: []policy.Match{{Rule: e.Rule, Verdict: policy.Deny, Why: e.Reason}},
	}
}
