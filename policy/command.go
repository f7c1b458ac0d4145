package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/builtin"
	"hardshell/policy/wording"
)

// spent counts a step of the work and tells whether a limit is reached; then the
// verdict is deny, and nothing more is looked at.
func (h *hearing) spent() bool {
	if h.work++; h.work <= maxWork && h.judged <= maxJudged {
		return false
	}
	if !slices.ContainsFunc(h.found, func(f finding) bool { return f.rule == "builtin.size" }) {
		h.deny("builtin.size", fmt.Sprintf("the script takes too long to judge: at most %d commands, loops and patterns counted out, and %d steps", maxJudged, maxWork), "run it in smaller steps")
	}
	return true
}

// command judges one command, its program first.
func (h *hearing) command(ctx scene, ws []argv.Word) {
	h.judged++
	if h.spent() {
		return
	}
	if ctx.depth > maxDepth {
		h.deny("builtin.size", fmt.Sprintf("commands inside of commands: at most %d deep are judged", maxDepth), "run the inner command itself")
		return
	}
	if h.notes != nil {
		defer h.leave(h.enter(Part{Kind: "command", Text: argv.Show(ws), Depth: ctx.depth}))
	}
	if len(ws) == 0 || ws[0].Kind != argv.Literal {
		h.deny("builtin.computed", "the program's name is not written out, so nobody can say what would run", "write the program's name as a plain word")
		return
	}
	name := path.Base(ws[0].Text)
	if ctx.shell && h.ownWord(ctx, ws) {
		return
	}
	var prog Program
	found := true
	if ctx.applet {
		file := "/usr/bin/" + name
		prog = Program{Path: file, Real: file}
	} else {
		prog, found = h.program(ws[0].Text)
	}
	h.notes.program(prog.Real)
	if h.forbidden(ws, prog, found) {
		return
	}
	switch {
	case !found:
		h.deny("builtin.not-found", fmt.Sprintf("there is no program %s in the system folders", wording.Quote(ws[0].Text)), builtin.Absent(ws[0].Text))
		return
	case ws[0].Text == "" || strings.ContainsAny(ws[0].Text, "\n\x00"):
		h.deny("builtin.computed", fmt.Sprintf("%s is no program name", wording.Quote(ws[0].Text)), "")
		return
	}
	if name == "sleep" || path.Base(prog.Real) == "sleep" {
		h.wait(ctx, ws)
	}
	if h.open(ctx, name, prog, ws) {
		return
	}
	h.rules(ctx, prog, ws)
}

// forbidden applies the built-in rules on programs, by every name that the
// program has, and tells whether one denied.
func (h *hearing) forbidden(ws []argv.Word, prog Program, found bool) bool {
	names, n := [3]string{ws[0].Text}, 1
	if found {
		names[1], n = prog.Path, 2
		if !slices.Contains(builtin.Multicall, path.Base(prog.Real)) {
			names[2], n = prog.Real, 3
		}
	}
	for _, n := range names[:n] {
		if b := builtin.Forbids(n); b != nil && h.apply(b, n) {
			return true
		}
		if path.Base(n) == "systemctl" && builtin.SystemctlChanges(ws[1:]) && h.apply(builtin.ByID("builtin.power"), argv.Show(ws)) {
			return true
		}
	}
	if root := h.facts.Roots["binary"]; found && root != "" && within(root, prog.Real) {
		return h.apply(builtin.ByID("builtin.self"), ws[0].Text)
	}
	return false
}

// wait adds up what sleep takes and refuses long waits in the foreground.
func (h *hearing) wait(ctx scene, ws []argv.Word) {
	seconds := 0.0
	for _, w := range ws[1:] {
		if s, ok := builtin.SleepSeconds(w); ok {
			seconds += s
			continue
		}
		seconds = maxWait.Seconds() + 1 // not known, so too long
	}
	h.waits += seconds * max(ctx.times, 1)
	if ctx.background {
		return
	}
	if h.waits > maxWait.Seconds() || ctx.endless {
		h.apply(builtin.ByID("builtin.wait"), fmt.Sprintf("%s waits in the foreground for more than %s", argv.Show(ws), maxWait))
	}
}

// rules matches a command against the rules for its program.
func (h *hearing) rules(ctx scene, prog Program, ws []argv.Word) {
	rules := h.rulesFor(prog)
	if len(rules) == 0 {
		h.unlisted(ctx, prog, ws)
		return
	}
	matched, closest, farthest := false, "", -2
	var best *execRule
	var refused []finding
	for _, r := range rules {
		needs, bad, far := r.pattern.Match(ws[1:], r.verdict == Deny || r.reads && h.findsOnlyOpen(ctx, ws))
		if bad != "" {
			if r.verdict != Deny {
				h.notes.near(r.id, r.form, bad)
				if r.elsewhere(ws) {
					far = -1
				}
				if far > farthest {
					closest, farthest, best = bad, far, r
				}
			}
			continue
		}
		before := len(h.found)
		ok := r.verdict == Deny || h.needs(ctx, r, needs)
		if !ok {
			h.notes.near(r.id, r.form, "a path that it needs is refused")
			refused = append(refused, h.found[before:]...)
			h.found = h.found[:before]
			continue
		}
		matched = true
		h.apply1(ctx, r, ws)
	}
	switch {
	case matched:
	case refused != nil:
		h.found = append(h.found, refused...)
	default:
		h.mismatch(rules, ws, best, closest)
	}
}

// rulesFor are the rules that speak of a program and are in force. A program
// that commands could change needs a rule with its hash, one outside of the
// system folders a rule with its full path.
func (h *hearing) rulesFor(prog Program) []*execRule {
	var out []*execRule
	for _, key := range []string{path.Base(prog.Path), prog.Path, prog.Real} {
		for _, r := range h.policy.exec[key] {
			full := strings.HasPrefix(key, "/")
			switch {
			case !full && !builtin.InSystem(prog.Path), slices.Contains(out, r):
			case prog.Writable && (r.hash == "" || r.hash != prog.Hash):
			case !h.policy.narrowed.keeps(r.id):
			default:
				out = append(out, r)
			}
		}
	}
	return out
}

// needs judges the paths that a match depends on.
func (h *hearing) needs(ctx scene, r *execRule, needs []argv.Need) bool {
	ok := true
	for _, n := range needs {
		if n.Access == argv.Device {
			ok = h.device(ctx, r, n.Path) && ok
			continue
		}
		ok = h.path(ctx, n.Path, n.Access) && ok
	}
	return ok
}

// device judges a device node that a rule grants.
func (h *hearing) device(ctx scene, r *execRule, text string) bool {
	key := argv.Under(ctx.cwds[0], text)
	p, ok := h.at(key)
	switch {
	case h.missing != nil && !ok:
		return true
	case ok && h.protected(text, p, argv.Device):
		return false
	case ok && slices.ContainsFunc(r.grants.Devices, func(g string) bool { return argv.CompileGlob(g).Match(p.Real) }):
		return true
	}
	h.deny("builtin.device", fmt.Sprintf("%s is not among the devices that %s grants: %s", wording.Quote(text), r.id, strings.Join(r.grants.Devices, ", ")), "")
	return false
}

// apply1 records a rule that matched.
func (h *hearing) apply1(ctx scene, r *execRule, ws []argv.Word) {
	f := finding{rule: r.id, verdict: r.verdict, why: r.why, hint: r.hint, reason: argv.Show(ws) + ": " + r.why, opaque: r.confined || path.Base(ws[0].Text) == "git"}
	if r.reads && ctx.carried && slices.ContainsFunc(ws, argv.Word.Unforeseen) {
		f.opaque = true
		f.reason += " (the names are found later: it only reads, and the sandbox shows it only what is open)"
	}
	if r.verdict == Allow && r.confined && !h.facts.Confined {
		f.verdict = Ask
		f.reason = fmt.Sprintf("%s: allowed in the full sandbox, and this machine does not have every layer of it", argv.Show(ws))
		f.hint = "ask when a person is there, or where the whole sandbox holds"
	}
	if f.verdict == Allow && len(h.facts.GitRuns) > 0 && path.Base(ws[0].Text) == "git" {
		f.verdict = Ask
		f.reason = fmt.Sprintf("%s: git may run programs here, the repository's settings say %s", argv.Show(ws), strings.Join(h.facts.GitRuns, "; "))
		f.hint = "look at the settings; the person can take them out"
	}
	if n := h.policy.narrowed; n != nil && !n.write && r.confined && r.verdict != Deny {
		h.add(finding{rule: "profile." + n.name, verdict: Deny, why: n.why, reason: fmt.Sprintf("%s: under the profile %s nothing is written, and this runs what it likes", argv.Show(ws), n.name), hint: "do without it, or ask the operator for another profile"})
	}
	if r.verdict != Deny && r.rate.uses > 0 && !h.withinRate(ctx, r) {
		return
	}
	f.free = r.confined || f.verdict == Ask || r.reads && ctx.carried && slices.ContainsFunc(ws, argv.Word.Unforeseen)
	f.has = r.grants
	h.add(f)
	h.moves = h.moves || path.Base(ws[0].Text) == "mv" || copiesNames(ws)
	h.grants.Repos = h.grants.Repos || f.verdict == Ask && path.Base(ws[0].Text) == "git"
	h.grants.Free = h.grants.Free || f.free && !r.reads
	h.makes = h.makes || f.opaque && !r.reads || f.verdict == Ask || copiesNames(ws)
	if f.verdict != Deny {
		h.grants.Devices = union(h.grants.Devices, r.grants.Devices)
		h.grants.Sys = union(h.grants.Sys, r.grants.Sys)
		h.grants.Starts = union(h.grants.Starts, r.grants.Starts)
		h.grants.Notes = union(h.grants.Notes, r.grants.Notes)
	}
	if r.pattern.TakesRest() {
		h.candidates(ctx, ws[1:])
	}
}

// findsOnlyOpen tells whether the words that xargs or find will add to a command can
// lead it only to what is open to reading: the sandbox is complete, no path rule
// would have a person asked, and no place outside is named. Such words may look like
// flags; a rule that says reads has vouched for every flag.
func (h *hearing) findsOnlyOpen(ctx scene, ws []argv.Word) bool {
	return ctx.carried && h.facts.Confined &&
		!slices.ContainsFunc(h.policy.files, func(r *fileRule) bool { return r.verdict == Ask && r.ops.cover(argv.Read) }) &&
		!slices.ContainsFunc(ws, func(w argv.Word) bool {
			return w.Unforeseen() && (strings.HasPrefix(w.Text, "/") || strings.Contains(w.Text, ".."))
		})
}

// union adds the words of b that a lacks.
func union(a, b []string) []string {
	for _, w := range b {
		if !slices.Contains(a, w) {
			a = append(slices.Clone(a), w)
		}
	}
	return a
}

// mismatch denies a command whose program has rules of which none fits.
func (h *hearing) mismatch(rules []*execRule, ws []argv.Word, best *execRule, closest string) {
	reason := fmt.Sprintf("no rule for %s fits %s: %s", path.Base(ws[0].Text), argv.Show(ws), closest)
	h.add(finding{rule: "builtin.no-match", verdict: Deny, why: "a listed program runs in its listed forms only", reason: reason, hint: misfitHint(rules, ws, best, closest)})
}

// unlisted judges a program that no rule speaks of.
func (h *hearing) unlisted(ctx scene, prog Program, ws []argv.Word) {
	name := ws[0].Text
	h.candidates(ctx, ws[1:])
	bound, left := h.unusable(prog)
	switch {
	case bound != nil:
		h.deny("builtin.writable", fmt.Sprintf("%s was changed since the rule %s was bound to its hash (%s)", wording.Quote(name), bound.id, prog.Real), "the operator looks at what changed and writes the sha256sum of the file into that rule")
	case prog.Writable:
		h.deny("builtin.writable", fmt.Sprintf("%s lies where commands can change it (%s)", wording.Quote(name), prog.Real), "put the lines of a script file into script; for a program the operator can add a rule with its hash")
	case !builtin.InSystem(prog.Path):
		h.deny("builtin.place", fmt.Sprintf("%s lies outside of the system folders (%s)", wording.Quote(name), prog.Path), "the operator can add a rule with its full path")
	case h.policy.unlisted == Ask && (h.policy.narrowed == nil || !h.policy.narrowed.hasExec) && !slices.ContainsFunc(ws, func(w argv.Word) bool { return w.Kind != argv.Literal }):
		h.grants.Free = true
		h.add(finding{rule: "unlisted", verdict: Ask, free: true, why: "programs without a rule need a person's yes", reason: argv.Show(ws) + ": the policy has no rule for " + wording.Quote(path.Base(name))})
	case left != nil:
		n := h.policy.narrowed
		h.add(finding{rule: "profile." + n.name, verdict: Deny, why: n.why, reason: fmt.Sprintf("the profile %s leaves out the policy's rules for %s", n.name, wording.Quote(path.Base(name))), hint: "use a program that the profile keeps; the operator can add rules of the policy to its exec list, such as " + left.id})
	default:
		h.deny("unlisted", fmt.Sprintf("the policy has no rule for %s", wording.Quote(path.Base(name))), "use a program that the policy lists; the operator can add a rule")
	}
}

// unusable finds a rule that speaks of a program and does not hold for it: one that is
// bound to another hash, and one that the profile in force leaves out; nil where there
// is none.
func (h *hearing) unusable(prog Program) (bound, left *execRule) {
	for _, key := range []string{path.Base(prog.Path), prog.Path, prog.Real} {
		for _, r := range h.policy.exec[key] {
			switch {
			case !strings.HasPrefix(key, "/") && !builtin.InSystem(prog.Path):
			case prog.Writable && r.hash != "" && r.hash != prog.Hash && bound == nil:
				bound = r
			case !prog.Writable && !h.policy.narrowed.keeps(r.id) && left == nil:
				left = r
			}
		}
	}
	return bound, left
}

// candidates applies the built-in rules to every argument that could be a path,
// where no slot says which ones are.
func (h *hearing) candidates(ctx scene, ws []argv.Word) {
	for _, w := range ws {
		if w.Kind != argv.Literal {
			continue
		}
		for _, text := range pathsIn(w.Text) {
			for _, cwd := range ctx.cwds {
				key := argv.Under(cwd, text)
				if builtin.Harmless(text) {
					continue
				}
				p, ok := h.at(key)
				switch {
				case h.missing != nil && !ok:
				case !ok:
					h.deny("builtin.lookup", fmt.Sprintf("%s could not be looked up", wording.Quote(key)), "check the path")
				case !h.protected(text, p, argv.Read):
					h.deniedByRule(text, p)
				}
			}
		}
	}
}

// pathsIn lists what a program could take for a path in one word: the word, the
// value of a flag, what follows an @, and the parts of a list.
func pathsIn(text string) []string {
	var out []string
	add := func(s string) {
		if argv.CouldBePath(s) && !strings.ContainsAny(s, "\n") && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	whole := text
	if strings.HasPrefix(text, "-") {
		whole = ""
		if len(text) > 2 && text[1] != '-' {
			add(text[2:])
		}
	}
	add(whole)
	if _, v, ok := strings.Cut(text, "="); ok {
		add(v)
	}
	add(strings.TrimPrefix(whole, "@"))
	if strings.ContainsAny(text, ":,=") && strings.Contains(text, "/") {
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ':' || r == ',' || r == '=' }) {
			if strings.Contains(part, "/") && !strings.HasPrefix(part, "-") {
				add(part)
			}
		}
	}
	return out
}

// copiesNames tells whether a command brings names along that nobody judged, out of a
// folder or of a file that is called like a flag.
func copiesNames(ws []argv.Word) bool {
	return path.Base(ws[0].Text) == "cp" && slices.ContainsFunc(ws[1:], func(w argv.Word) bool {
		return w.Kind != argv.Literal || builtin.DashedName(w.Text) && strings.Contains(w.Text, "/") || strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "rRa")
	})
}
