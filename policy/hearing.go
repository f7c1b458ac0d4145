package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hardshell/policy/argv"
	"hardshell/policy/wording"
)

// Limits of what is judged. Beyond them the verdict is deny: a limit never turns
// into a question.
const (
	maxBytes  = 128_000 // bytes of one command with its environment and input
	maxDepth  = 8       // commands inside commands
	maxParts  = 64      // simple commands of one script, as written
	maxJudged = 2048    // commands of one script, after loops and patterns
	maxWork   = 16_384  // steps of judging, rehearsals of loops included
	maxWait   = 30 * time.Second
)

// hearing collects what the rules say about one action. With missing set it
// collects what the facts lack instead, and its findings mean nothing.
type hearing struct {
	policy  *Policy
	action  Action
	facts   Facts
	missing *Subjects

	found  []finding
	notes  *notes  // what Explain wants to know besides, nil for anybody else
	parts  int     // simple commands so far, as written
	judged int     // commands so far, after loops and patterns
	work   int     // steps so far
	waits  float64 // seconds of sleep so far
	grants Grants
	counts map[string]int             // uses of rules with a rate, never changed in place
	makes  bool                       // a command before this place can make files of any name
	moves  bool                       // one can put a link in the place of a file
	strays bool                       // a path is used after that
	paths  map[judgement][]finding    // what was said of a path before
	trial  *execRule                  // the rule whose example this is, nil in earnest
	lain   struct{ abs, root string } // the path that was last placed in a root
}

// finding is what one rule says about one part of the action.
type finding struct {
	rule    string
	verdict Verdict
	why     string // the rule's own reason
	reason  string // about this action
	hint    string
	// weight orders findings of the same verdict: what the command is before what
	// it touches.
	weight int
	// real and access are the path that it is about, empty when it is about none.
	real   string
	access argv.Access
	// opaque marks a command that can do more than its words say, inside of what it
	// is shown: a compiler, a build, a repository, whatever a person was asked for.
	opaque bool
	// free marks a command that can do what nobody judged: a build, one that a person is
	// asked about, one that is handed names which are found later. has is what its own
	// rule grants.
	free bool
	has  Grants
	// part and nth are its place in an explanation.
	part, nth int
}

// add records a finding.
func (h *hearing) add(f finding) {
	if n := h.notes; n != nil {
		n.nth++
		f.part, f.nth = n.now, n.nth
	}
	h.found = append(h.found, f)
}

// deny records a denial that comes from the way actions are read.
func (h *hearing) deny(rule, reason, hint string) {
	h.add(finding{rule: rule, verdict: Deny, why: reason, reason: reason, hint: hint})
}

// apply records a built-in rule unless the operator waived it, and tells whether
// it did.
func (h *hearing) apply(b *builtinRule, reason string) bool {
	if !b.fixed && h.policy.waived(b.id) != "" {
		return false
	}
	h.add(finding{rule: b.id, verdict: b.verdict, why: b.why, reason: reason + ": " + b.why, hint: hintOf(b, reason)})
	return true
}

// judge hears the rules on the action.
func (h *hearing) judge() {
	a := h.action
	if a.Tool != "" {
		if rule := h.policy.refusesTool(a.Tool); rule != "" {
			h.refuseTool(rule)
		}
	}
	switch {
	case a.Kind == KindStatus:
		h.add(finding{rule: "builtin.status", verdict: Allow, why: "looking at the agent's own state changes nothing", reason: "reads the agent's own state and changes nothing"})
	case a.Kind == KindProcess && a.Process != nil && a.Process.Input && a.Exec != nil:
		h.exec(*a.Exec)
	case a.Kind == KindProcess && a.Process != nil && !a.Process.Input && a.Exec == nil:
		h.add(finding{rule: "builtin.background", verdict: Allow, why: "a command that policy let start may be looked at, interrupted and ended", reason: "minds a command that runs in the background"})
	case a.Kind == KindPlan:
		h.add(finding{rule: "builtin.plan", verdict: Allow, why: "a plan is text that nothing acts on", reason: "writes down the conversation's plan"})
	case a.Kind == KindSetting && a.Setting != nil:
		h.setting()
	case a.Kind == KindFile && a.File != nil && len(a.Files) == 0:
		h.file(*a.File)
	case a.Kind == KindFile && a.File == nil && len(a.Files) > 0:
		for _, f := range a.Files {
			h.file(f)
		}
	case a.Kind == KindExec && a.Exec != nil:
		h.exec(*a.Exec)
	default:
		h.deny("builtin.kind", fmt.Sprintf("this policy knows no action of the kind %s", wording.Quote(string(a.Kind))), "")
	}
}

// setting judges a change of what a conversation has of its own: a person has to
// be there, who reads of it at once and can take it back. A run on its own could
// leave the next person with a model that they did not choose.
func (h *hearing) setting() {
	const rule = "builtin.setting"
	if !h.facts.Attended || h.facts.Run != "chat" {
		h.deny(rule, "a conversation's model and reasoning are set only while a person is there to see it", "go on with what is set, and tell the person")
		return
	}
	h.add(finding{rule: rule, verdict: Allow, why: "a person is there, reads of it and can take it back", reason: "sets what this conversation has of its own, with a person present"})
}

// refuseTool records that a tool list keeps the tool away.
func (h *hearing) refuseTool(rule string) {
	reason := fmt.Sprintf("the tool %s is not offered: %s of the policy", h.action.Tool, strings.Replace(rule, "tools.", "[tools] ", 1))
	hint := ""
	if h.policy.builtin {
		reason, hint = fmt.Sprintf("the tool %s is not offered: there is no policy file", h.action.Tool), noPolicyHint
	}
	h.add(finding{rule: rule, verdict: Deny, why: reason, reason: reason, hint: hint})
}

const noPolicyHint = "agent init installs the lab policy"

// exec judges a command.
func (h *hearing) exec(e Exec) {
	if h.policy.builtin {
		h.deny("builtin.no-policy", "there is no policy file, so no command may run", noPolicyHint)
	}
	size := len(e.Script) + len(e.Stdin)
	for _, w := range slices.Concat(e.Argv, e.Env) {
		size += len(w) + 1
		if strings.IndexByte(w, 0) >= 0 {
			h.deny("builtin.size", "a word holds a NUL byte, which no program can be given", "leave it out")
		}
	}
	switch {
	case (len(e.Argv) > 0) == (e.Script != ""):
		h.deny("builtin.kind", "a command is either argv or script, and not empty", `write {"argv":["ls","-l"]}`)
		return
	case len(e.Argv) > argv.MaxWords || size > maxBytes:
		h.deny("builtin.size", fmt.Sprintf("the command has %d words and %d bytes; at most %d and %d are judged", len(e.Argv), size, argv.MaxWords, maxBytes), "put the data into a file and pass its name")
		return
	}
	h.environment(e.Env)
	if e.Cwd != "" {
		h.path(scene{cwds: []string{""}}, e.Cwd, argv.List)
	}
	ctx, before := scene{cwds: []string{""}, background: e.Background}, len(h.found)
	if e.Script != "" {
		h.program("sh")
		h.script(ctx, e.Script)
	} else {
		h.parts++
		h.command(ctx, argv.Literals(e.Argv))
	}
	if len(h.found) == before { // that its folder is open allows no command
		h.deny("builtin.default", "no rule speaks of this command", "")
	}
}

// decision sums up: the strictest finding decides, and a question that nobody
// can answer is a denial.
func (h *hearing) decision() Decision {
	h.spill()
	if len(h.found) == 0 {
		h.deny("builtin.default", "no rule speaks of this", "")
	}
	slices.SortStableFunc(h.found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.verdict, b.verdict), cmp.Compare(a.weight, b.weight))
	})
	first := h.found[0]
	d := Decision{Verdict: first.verdict, Rule: first.rule, Reason: first.reason, Hint: first.hint}
	d.Matched = make([]Match, 0, len(h.found))
	for _, f := range h.found {
		if m := (Match{f.rule, f.verdict, f.why}); !slices.Contains(d.Matched, m) {
			d.Matched = append(d.Matched, m)
		}
	}
	if d.Verdict != Deny {
		h.openedPaths()
		if g := h.grants; !g.empty() {
			d.Grants = &g
		}
		d.Counts = h.counts
	}
	if d.Verdict == Deny && d.Hint == "" {
		d.Hint = "do without it, or ask the operator"
	}
	if d.Verdict != Ask {
		return d
	}
	switch n := h.policy.narrowed; {
	case n != nil && !n.ask:
		d.Verdict, d.Reason = Deny, d.Reason+"; under the profile "+n.name+" nothing is asked"
		d.Hint = strings.TrimPrefix(d.Hint+"; do without it, or ask the operator for another profile", "; ")
	case h.preapproval() != nil:
		a := h.preapproval()
		d.Verdict, d.Rule, d.Hint = Allow, a.id, ""
		d.Reason += "; a person approved exactly this in advance for the job " + a.job + ": " + a.why
		d.Matched = append(d.Matched, Match{a.id, Allow, a.why})
		h.add(finding{rule: a.id, verdict: Allow, why: a.why, reason: d.Reason})
		last := len(h.found) - 1
		h.found[0], h.found[last] = h.found[last], h.found[0] // it decides
	case !h.facts.Attended:
		d.Verdict, d.Reason = Deny, d.Reason+"; that needs a person's yes and nobody is present"
		d.Hint = strings.TrimPrefix(d.Hint+"; do without it, or ask when a person is there", "; ")
	}
	if d.Verdict == Deny {
		d.Grants, d.Counts = nil, nil
	}
	return d
}
