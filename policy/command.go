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
func (ev *evaluation) spent() bool {
	if ev.work++; ev.work <= maxWork && ev.judged <= maxJudged {
		return false
	}
	if !slices.ContainsFunc(ev.found, func(f match) bool { return f.rule == "builtin.size" }) {
		ev.deny("builtin.size", fmt.Sprintf("the script takes too long to judge: at most %d commands, loops and patterns counted out, and %d steps", maxJudged, maxWork), "run it in smaller steps")
	}
	return true
}

// command judges one command, its program first.
func (ev *evaluation) command(sc scope, ws []argv.Word) {
	ev.judged++
	if ev.spent() {
		return
	}
	if sc.depth > maxDepth {
		ev.deny("builtin.size", fmt.Sprintf("commands inside of commands: at most %d deep are judged", maxDepth), "run the inner command itself")
		return
	}
	if ev.notes != nil {
		defer ev.leave(ev.enter(Part{Kind: "command", Text: argv.Show(ws), Depth: sc.depth}))
	}
	if len(ws) == 0 || ws[0].Kind != argv.Literal {
		ev.deny("builtin.computed", "the program's name is not written out, so nobody can say what would run", "write the program's name as a plain word")
		return
	}
	name := path.Base(ws[0].Text)
	if sc.shell && ev.ownWord(sc, ws) {
		return
	}
	var prog Program
	found := true
	if sc.applet {
		file := "/usr/bin/" + name
		prog = Program{Path: file, Real: file}
	} else {
		prog, found = ev.program(ws[0].Text)
	}
	ev.notes.program(prog.Real)
	if ev.forbidden(ws, prog, found) {
		return
	}
	switch {
	case !found:
		ev.deny("builtin.not-found", fmt.Sprintf("there is no program %s in the system folders", wording.Quote(ws[0].Text)), builtin.Absent(ws[0].Text))
		return
	case ws[0].Text == "" || strings.ContainsAny(ws[0].Text, "\n\x00"):
		ev.deny("builtin.computed", fmt.Sprintf("%s is no program name", wording.Quote(ws[0].Text)), "")
		return
	}
	if builtin.AttributesOf(name).Waits || builtin.AttributesOf(prog.Real).Waits {
		ev.wait(sc, ws)
	}
	if (carrier{ev}).open(sc, name, prog, ws) {
		return
	}
	ev.rules(sc, prog, ws)
}

// forbidden applies the built-in rules on programs, by every name that the
// program has, and tells whether one denied.
func (ev *evaluation) forbidden(ws []argv.Word, prog Program, found bool) bool {
	names, n := [3]string{ws[0].Text}, 1
	if found {
		names[1], n = prog.Path, 2
		if !slices.Contains(builtin.Multicall, path.Base(prog.Real)) {
			names[2], n = prog.Real, 3
		}
	}
	for _, n := range names[:n] {
		if b := builtin.Forbids(n); b != nil && ev.apply(b, n) {
			return true
		}
		if builtin.AttributesOf(n).Services && builtin.SystemctlChanges(ws[1:]) && ev.apply(builtin.ByID("builtin.power"), argv.Show(ws)) {
			return true
		}
	}
	if root := ev.facts.Roots["binary"]; found && root != "" && within(root, prog.Real) {
		return ev.apply(builtin.ByID("builtin.self"), ws[0].Text)
	}
	return false
}

// wait adds up what sleep takes and refuses long waits in the foreground.
func (ev *evaluation) wait(sc scope, ws []argv.Word) {
	seconds := 0.0
	for _, w := range ws[1:] {
		if s, ok := builtin.SleepSeconds(w); ok {
			seconds += s
			continue
		}
		seconds = maxWait.Seconds() + 1 // not known, so too long
	}
	if sc.background {
		return // nothing waits for it
	}
	ev.waits += seconds * max(sc.times, 1)
	if ev.waits > maxWait.Seconds() || sc.endless {
		ev.apply(builtin.ByID("builtin.wait"), fmt.Sprintf("%s waits in the foreground for more than %s", argv.Show(ws), maxWait))
	}
}

// rules matches a command against the rules for its program.
func (ev *evaluation) rules(sc scope, prog Program, ws []argv.Word) {
	rules := ev.policy.rulesFor(prog)
	if len(rules) == 0 {
		ev.unlisted(sc, prog, ws)
		return
	}
	matched, closest, farthest := false, "", -2
	var best *execRule
	var refused []match
	for _, r := range rules {
		needs, bad, far := r.pattern.Match(ws[1:], r.verdict == Deny || r.reads && ev.policy.findsOnlyOpen(sc, ev.facts.Confined, ws))
		if bad != "" {
			if r.verdict != Deny {
				ev.notes.near(r.id, r.form, bad)
				if r.elsewhere(ws) {
					far = -1
				}
				if far > farthest {
					closest, farthest, best = bad, far, r
				}
			}
			continue
		}
		before := len(ev.found)
		ok := r.verdict == Deny || ev.needs(sc, r, needs)
		if !ok {
			ev.notes.near(r.id, r.form, "a path that it needs is refused")
			refused = append(refused, ev.found[before:]...)
			ev.found = ev.found[:before]
			continue
		}
		matched = true
		ev.matched(sc, r, ws)
	}
	switch {
	case matched:
	case refused != nil:
		ev.found = append(ev.found, refused...)
	default:
		ev.mismatch(rules, ws, best, closest)
	}
}

// rulesFor are the rules that speak of a program and are in force. A program
// that commands could change needs a rule with its hash, one outside of the
// system folders a rule with its full path.
func (p *Policy) rulesFor(prog Program) []*execRule {
	var out []*execRule
	for _, key := range []string{path.Base(prog.Path), prog.Path, prog.Real} {
		for _, r := range p.exec[key] {
			full := strings.HasPrefix(key, "/")
			switch {
			case !full && !builtin.InSystem(prog.Path), slices.Contains(out, r):
			case prog.Writable && (r.hash == "" || r.hash != prog.Hash):
			case !p.narrowed.keeps(r.id):
			default:
				out = append(out, r)
			}
		}
	}
	return out
}

// needs judges the paths that a match depends on.
func (ev *evaluation) needs(sc scope, r *execRule, needs []argv.Need) bool {
	ok := true
	for _, n := range needs {
		if n.Access == argv.Device {
			ok = ev.device(sc, r, n.Path) && ok
			continue
		}
		ok = ev.path(sc, n.Path, n.Access) && ok
	}
	return ok
}

// device judges a device node that a rule grants.
func (ev *evaluation) device(sc scope, r *execRule, text string) bool {
	key := argv.Under(sc.cwds[0], text)
	p, ok := ev.at(key)
	switch {
	case ev.missing != nil && !ok:
		return true
	case ok && ev.protected(text, p, argv.Device):
		return false
	case ok && slices.ContainsFunc(r.grants.Devices, func(g string) bool { return argv.CompileGlob(g).Match(p.Real) }):
		return true
	}
	ev.deny("builtin.device", fmt.Sprintf("%s is not among the devices that %s grants: %s", wording.Quote(text), r.id, strings.Join(r.grants.Devices, ", ")), "")
	return false
}

// matched records a rule that matched, and what the command may do by it.
func (ev *evaluation) matched(sc scope, r *execRule, ws []argv.Word) {
	does := builtin.AttributesOf(ws[0].Text)
	copies := does.Copies && copiesNames(ws)
	found := r.reads && sc.carried && slices.ContainsFunc(ws, argv.Word.Unforeseen)
	f := ev.verdictOf(r, does, ws)
	f.opaque = r.confined || does.Repository || found
	if found && f.verdict == r.verdict {
		f.reason += " (the names are found later: it only reads, and the sandbox shows it only what is open)"
	}
	if r.confined && r.verdict != Deny {
		ev.writesAnything(ws)
	}
	if r.verdict != Deny && r.rate.uses > 0 && !ev.withinRate(sc, r) {
		return
	}
	f.free = r.confined || f.verdict == Ask || found
	f.has = r.grants
	ev.add(f)
	ev.flow(r, f, does.Moves || copies, copies)
	ev.grants.Repos = ev.grants.Repos || f.verdict == Ask && does.Repository
	if f.verdict != Deny {
		ev.grants.add(r.grants)
	}
	if r.pattern.TakesRest() {
		ev.candidates(sc, ws[1:])
	}
}

// flow notes what a command can do to those behind it.
func (ev *evaluation) flow(r *execRule, f match, moves, copies bool) {
	ev.moves = ev.moves || moves
	ev.makes = ev.makes || f.opaque && !r.reads || f.verdict == Ask || copies
	ev.grants.Free = ev.grants.Free || f.free && !r.reads
}

// verdictOf is what a rule says of a command that it matches: an allowance turns into a
// question where the sandbox lacks a layer that it counts on, and where a repository's
// settings could run programs.
func (ev *evaluation) verdictOf(r *execRule, does builtin.Attributes, ws []argv.Word) match {
	f := match{rule: r.id, verdict: r.verdict, why: r.why, hint: r.hint, reason: argv.Show(ws) + ": " + r.why}
	if r.verdict != Allow {
		return f
	}
	if r.confined && !ev.facts.Confined {
		f.verdict = Ask
		f.reason = argv.Show(ws) + ": allowed in the full sandbox, and this machine does not have every layer of it"
		f.hint = "ask when a person is there, or where the whole sandbox holds"
	} else if does.Repository && len(ev.facts.GitRuns) > 0 {
		f.verdict = Ask
		f.reason = fmt.Sprintf("%s: git may run programs here, the repository's settings say %s", argv.Show(ws), strings.Join(ev.facts.GitRuns, "; "))
		f.hint = "look at the settings; the person can take them out"
	}
	return f
}

// findsOnlyOpen tells whether the words that xargs or find will add to a command can
// lead it only to what is open to reading: the sandbox is complete, no path rule
// would have a person asked, and no place outside is named. Such words may look like
// flags; a rule that says reads has vouched for every flag.
func (p *Policy) findsOnlyOpen(sc scope, confined bool, ws []argv.Word) bool {
	return sc.carried && confined &&
		!slices.ContainsFunc(p.files, func(r *fileRule) bool { return r.verdict == Ask && r.ops.cover(argv.Read) }) &&
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
func (r *report) mismatch(rules []*execRule, ws []argv.Word, best *execRule, closest string) {
	reason := fmt.Sprintf("no rule for %s fits %s: %s", path.Base(ws[0].Text), argv.Show(ws), closest)
	r.add(match{rule: "builtin.no-match", verdict: Deny, why: "a listed program runs in its listed forms only", reason: reason, hint: misfitHint(rules, ws, best, closest)})
}

// unlisted judges a program that no rule speaks of.
func (ev *evaluation) unlisted(sc scope, prog Program, ws []argv.Word) {
	name := ws[0].Text
	ev.candidates(sc, ws[1:])
	bound, left := ev.policy.unusable(prog)
	switch {
	case bound != nil:
		ev.deny("builtin.writable", fmt.Sprintf("%s was changed since the rule %s was bound to its hash (%s)", wording.Quote(name), bound.id, prog.Real), "the operator looks at what changed and writes the sha256sum of the file into that rule")
	case prog.Writable && ev.asksForOwn(prog, ws):
		ev.grants.Free = true
		ev.add(match{rule: "builtin.writable", verdict: Ask, free: true, why: "a program of the workspace can do anything; a person looks at it first", reason: argv.Show(ws) + " runs a program that commands made or can change", hint: "put the lines of a script file into script"})
	case prog.Writable:
		ev.deny("builtin.writable", fmt.Sprintf("%s lies where commands can change it (%s)", wording.Quote(name), prog.Real), "put the lines of a script file into script; for a program the operator can add a rule with its hash")
	case !builtin.InSystem(prog.Path):
		ev.deny("builtin.place", fmt.Sprintf("%s lies outside of the system folders (%s)", wording.Quote(name), prog.Path), "the operator can add a rule with its full path")
	case ev.asks(ws):
		ev.grants.Free = true
		ev.add(match{rule: "unlisted", verdict: Ask, free: true, why: "programs without a rule need a person's yes", reason: argv.Show(ws) + ": the policy has no rule for " + wording.Quote(path.Base(name))})
	case left != nil:
		n := ev.policy.narrowed
		ev.add(match{rule: "profile." + n.name, verdict: Deny, why: n.why, reason: fmt.Sprintf("the profile %s leaves out the policy's rules for %s", n.name, wording.Quote(path.Base(name))), hint: "use a program that the profile keeps; the operator can add rules of the policy to its exec list, such as " + left.id})
	default:
		ev.deny("unlisted", fmt.Sprintf("the policy has no rule for %s", wording.Quote(path.Base(name))), "use a program that the policy lists; the operator can add a rule")
	}
}

// unusable finds a rule that speaks of a program and does not hold for it: one that is
// bound to another hash, and one that the profile in force leaves out; nil where there
// is none.
func (p *Policy) unusable(prog Program) (bound, left *execRule) {
	for _, key := range []string{path.Base(prog.Path), prog.Path, prog.Real} {
		for _, r := range p.exec[key] {
			switch {
			case !strings.HasPrefix(key, "/") && !builtin.InSystem(prog.Path):
			case prog.Writable && r.hash != "" && r.hash != prog.Hash && bound == nil:
				bound = r
			case !prog.Writable && !p.narrowed.keeps(r.id) && left == nil:
				left = r
			}
		}
	}
	return bound, left
}

// candidates applies the built-in rules to every argument that could be a path,
// where no slot says which ones are.
func (ev *evaluation) candidates(sc scope, ws []argv.Word) {
	for _, w := range ws {
		if w.Kind != argv.Literal {
			continue
		}
		for _, text := range pathsIn(w.Text) {
			for _, cwd := range sc.cwds {
				key := argv.Under(cwd, text)
				if builtin.Harmless(text) {
					continue
				}
				p, ok := ev.at(key)
				switch {
				case ev.missing != nil && !ok:
				case !ok:
					ev.deny("builtin.lookup", fmt.Sprintf("%s could not be looked up", wording.Quote(key)), "check the path")
				case !ev.protected(text, p, argv.Read):
					ev.deniedByRule(text, p)
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
