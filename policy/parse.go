package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"hardshell/policy/argv"
	"hardshell/policy/builtin"
	"hardshell/policy/shell"
	"hardshell/policy/source"
	"hardshell/policy/wording"
)

// reader turns the tree of a policy file into a Policy.
type reader struct{ *source.Document }

// Parse reads a policy file. name stands in messages. A file with any fault is
// refused whole: the error is a *Error that holds every problem with its
// place. The examples of all rules are run.
func Parse(name string, src []byte) (*Policy, error) {
	doc, root, err := source.Read(name, src)
	if err != nil {
		return nil, err
	}
	r := reader{doc}
	p := r.policy(root)
	p.hash = digest(src)
	if doc.Err() == nil {
		r.examples(p)
	}
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// verdict reads a verdict, one of those that the place takes.
func (r *reader) verdict(t *source.Node, key string, missing Verdict, of ...Verdict) Verdict {
	n := t.Get(key)
	if n == nil || !r.Want(n, source.String, key) {
		return missing
	}
	var v Verdict
	if err := v.UnmarshalText([]byte(n.Text)); err != nil || !slices.Contains(of, v) {
		words := make([]string, len(of))
		for i, o := range of {
			words[i] = o.String()
		}
		r.Fail(n.At, fmt.Sprintf("%q is no verdict here%s: write %s", n.Text, wording.DidYouMean(n.Text, words), strings.Join(words, " or ")))
		return Deny
	}
	return v
}

// policy reads the whole file.
func (r *reader) policy(root *source.Node) *Policy {
	p := &Policy{exec: map[string][]*execRule{}, unlisted: Deny}
	r.Keys(root, "the policy", "version", "name", "unlisted", "env", "tools", "file", "exec", "waive", "unattended", "profile")
	if v := root.Get("version"); v == nil {
		r.Fail(root.At, "version is missing: write version = 1 at the top")
	} else if r.Want(v, source.Int, "version") && v.Int != 1 {
		r.Fail(v.At, fmt.Sprintf("version %d is not known; this program reads version 1", v.Int))
	}
	p.name = r.Text(root, "name")
	if p.name == "" {
		p.name = "unnamed"
	}
	p.unlisted = r.verdict(root, "unlisted", Deny, Deny, Ask)
	p.env = r.List(root, "env")
	for i, name := range p.env {
		if shell.Steers(name) || !argv.EnvName(name) {
			r.Fail(root.Get("env").Items[i].At, fmt.Sprintf("%q can't be given to commands: it changes which programs run, or is no name", name))
		}
	}
	r.tools(root, p)
	for _, t := range r.Tables(root, "file") {
		r.file(t, p)
	}
	for _, t := range r.Tables(root, "exec") {
		r.exec(t, p)
	}
	for _, t := range r.Tables(root, "waive") {
		r.waive(t, p)
	}
	for _, t := range r.Tables(root, "unattended") {
		r.unattended(t, p)
	}
	for _, t := range r.Tables(root, "profile") {
		r.profile(t, p)
	}
	return p
}

// tools reads the tool lists.
func (r *reader) tools(root *source.Node, p *Policy) {
	t := root.Get("tools")
	if t == nil {
		p.toolAllow = []string{"*"}
		return
	}
	if !r.Want(t, source.Table, "tools") {
		return
	}
	r.Keys(t, "[tools]", "allow", "deny")
	p.toolAllow, p.toolDeny = r.toolWords(t, "allow"), r.toolWords(t, "deny")
	if t.Get("allow") == nil {
		p.toolAllow = []string{"*"}
	}
}

// toolWords reads a list of tool names and groups.
func (r *reader) toolWords(t *source.Node, key string) []string {
	words := r.List(t, key)
	for i, w := range words {
		if !isToolWord(w) {
			r.Fail(t.Get(key).Items[i].At, fmt.Sprintf("there is no tool or group %q%s", w, wording.DidYouMean(w, toolWords())))
		}
	}
	return words
}

// file reads one [[file]].
func (r *reader) file(t *source.Node, p *Policy) {
	r.Keys(t, "[[file]]", "id", "root", "path", "ops", "verdict", "why", "match", "not_match")
	f := &fileRule{at: t.At, why: r.Why(t), root: r.Text(t, "root"), pattern: r.Text(t, "path"), verdict: r.verdict(t, "verdict", Allow, Deny, Ask, Allow)}
	if rest, ok := strings.CutPrefix(f.pattern, "~/"); ok && f.root == "" {
		f.root, f.pattern = "home", rest
	}
	switch {
	case f.root == "" && !strings.HasPrefix(f.pattern, "/"):
		r.Fail(t.At, `a file rule needs a root ("workspace", "docs", "skills") or an absolute path`)
	case f.root != "" && builtin.Own[f.root]:
		r.Fail(t.Get("root").At, fmt.Sprintf("the root %q belongs to the agent itself and can't be opened", f.root))
	case f.root != "" && !slices.Contains(fileRoots, f.root):
		r.Fail(t.Get("root").At, fmt.Sprintf("there is no root %q%s; there are %s", f.root, wording.DidYouMean(f.root, fileRoots), strings.Join(fileRoots, ", ")))
	case f.root != "" && strings.HasPrefix(f.pattern, "/"):
		r.Fail(t.Get("path").At, "a path beneath a root does not begin with /")
	}
	if f.root != "" && f.pattern == "" {
		f.pattern = "**"
	}
	if f.pattern != "/" {
		f.pattern = strings.TrimSuffix(f.pattern, "/")
	}
	for part := range strings.SplitSeq(f.pattern, "/") {
		if _, err := path.Match(part, ""); err != nil || part == ".." {
			r.Fail(t.Get("path").At, fmt.Sprintf("%q is no path pattern: use *, ?, [a-z] and ** between slashes", f.pattern))
			break
		}
	}
	if f.verdict == Deny && !strings.HasSuffix(f.pattern, "**") {
		f.pattern = strings.TrimSuffix(f.pattern, "/") + "/**" // a denied folder is denied with all that it holds
	}
	f.glob = argv.CompileGlob(f.pattern)
	f.ops = r.ops(t)
	f.id = r.ID(t, "file.", fileID(f))
	f.match, f.notMatch = r.paths(t, "match"), r.paths(t, "not_match")
	p.files = append(p.files, f)
}

// fileRoots are the named folders that file rules may speak of.
var fileRoots = []string{"workspace", "docs", "skills", "tmp", "home"}

// fileID is the id of a file rule that gives itself none.
func fileID(f *fileRule) string {
	base := strings.Trim(strings.ReplaceAll(strings.ReplaceAll(f.pattern, "//", "/"), "*", ""), "/")
	switch id := strings.ReplaceAll(base, "/", "."); {
	case f.root != "" && id != "":
		return f.root + "." + id
	case f.root != "":
		return f.root
	default:
		return id
	}
}

// ops reads the operations of a file rule.
func (r *reader) ops(t *source.Node) ops {
	words := r.List(t, "ops")
	if len(words) == 0 {
		if n := t.Get("ops"); n == nil || n.Kind == source.Array {
			r.Fail(t.At, `ops is missing: write ops = ["read"], ["list"] or ["read", "write"]`)
		}
	}
	var out []FileOp
	for i, w := range words {
		op := FileOp(w)
		if op != Read && op != Write && op != List {
			r.Fail(t.Get("ops").Items[i].At, fmt.Sprintf("there is no operation %q%s; there are read, write, list", w, wording.DidYouMean(w, []string{"read", "write", "list"})))
			continue
		}
		out = append(out, op)
	}
	return opsOf(out...)
}

// waive reads one [[waive]].
func (r *reader) waive(t *source.Node, p *Policy) {
	r.Keys(t, "[[waive]]", "rule", "why")
	w := waiver{r.Text(t, "rule"), r.Why(t)}
	var ids []string
	for _, b := range builtin.Rules {
		if !b.Fixed {
			ids = append(ids, b.ID)
		}
	}
	if !slices.Contains(ids, w.rule) {
		at := t.At
		if n := t.Get("rule"); n != nil {
			at = n.At
		}
		r.Fail(at, fmt.Sprintf("%q can't be waived%s; these can: %s", w.rule, wording.DidYouMean(w.rule, ids), strings.Join(ids, ", ")))
	}
	p.waivers = append(p.waivers, w)
}

// profile reads one [[profile]].
func (r *reader) profile(t *source.Node, p *Policy) {
	r.Keys(t, "[[profile]]", "name", "why", "tools_deny", "exec", "write", "ask")
	pr := profile{
		name: r.Text(t, "name"), why: r.Why(t), toolDeny: r.toolWords(t, "tools_deny"), exec: r.List(t, "exec"), hasExec: t.Get("exec") != nil,
		write: r.Yes(t, "write", true), ask: r.Yes(t, "ask", true),
	}
	if pr.name == "" || slices.ContainsFunc(p.profiles, func(o profile) bool { return o.name == pr.name }) {
		r.Fail(t.At, "a profile needs a name of its own")
	}
	var ids []string
	for _, e := range p.execOrder {
		ids = append(ids, e.id)
	}
	ids = append(ids, "builtin.wrapper")
	for i, id := range pr.exec {
		if !slices.Contains(ids, id) {
			r.Fail(t.Get("exec").Items[i].At, fmt.Sprintf("there is no exec rule %q%s", id, wording.DidYouMean(id, ids)))
		}
	}
	p.profiles = append(p.profiles, pr)
}

// exampleRoots are the folders in which the examples of a file are judged.
var exampleRoots = map[string]string{
	"workspace": "/home/lab/work", "docs": "/usr/share/hardshell/docs", "skills": "/home/lab/skills", "tmp": "/home/lab/tmp", "home": "/home/lab",
	"state": "/var/lib/hardshell", "config": "/etc/hardshell",
}

// trial is one example of a rule; fault says what is wrong, "" when nothing is.
type trial struct {
	at    source.Span
	fault func() string
}

// exampleWorkers try the examples of a file side by side: they are half of what
// reading it costs, and a start waits for it.
const exampleWorkers = 4

// examples runs the examples of every rule: a rule must be among those that
// match its "match" and not among those that match its "not_match".
func (r *reader) examples(p *Policy) {
	trials := p.trials()
	faults := make([]string, len(trials))
	var workers sync.WaitGroup
	for w := range exampleWorkers {
		workers.Go(func() {
			for i := w; i < len(trials); i += exampleWorkers {
				faults[i] = trials[i].fault()
			}
		})
	}
	workers.Wait()
	for i, fault := range faults {
		if fault != "" {
			r.Fail(trials[i].at, fault)
		}
	}
}

// trials lists the examples of all rules, in the order of the file.
func (p *Policy) trials() []trial {
	var out []trial
	for _, e := range p.execOrder {
		for _, ex := range e.match {
			out = append(out, trial{ex.at, func() string {
				if ev := p.example(ex.argv, e); !ev.names(e.id) {
					return fmt.Sprintf("%s does not match this example: %s", e.id, ev.decision().Reason)
				}
				return ""
			}})
		}
		for _, ex := range e.notMatch {
			out = append(out, trial{ex.at, func() string {
				if p.example(ex.argv, e).names(e.id) {
					return fmt.Sprintf("%s matches this example and must not", e.id)
				}
				return ""
			}})
		}
	}
	for _, f := range p.files {
		for _, ex := range f.match {
			out = append(out, trial{ex.at, func() string {
				if !p.covers(f, ex.argv[0]) {
					return fmt.Sprintf("%s does not match this example", f.id)
				}
				return ""
			}})
		}
		for _, ex := range f.notMatch {
			out = append(out, trial{ex.at, func() string {
				if p.covers(f, ex.argv[0]) {
					return fmt.Sprintf("%s matches this example and must not", f.id)
				}
				return ""
			}})
		}
	}
	return out
}

// covers tells whether a file rule speaks of an example path.
func (p *Policy) covers(f *fileRule, text string) bool {
	abs := examplePath(text)
	return slices.ContainsFunc(f.ops.slice(), func(op FileOp) bool { return f.fits(exampleRoots, Path{Abs: abs, Real: abs}, argv.Access(op)) })
}

// example judges a command in a made-up world: every program is a system
// program, every path leads where it says, relative ones into the workspace.
// Built-in rules hold there as everywhere; of the file's own rules for programs
// only the one whose example it is speaks.
func (p *Policy) example(argv []string, e *execRule) *evaluation {
	ev := p.evaluation(Action{Kind: &Exec{Argv: argv}}, exampleFacts)
	ev.trial = e
	ev.judge()
	return &ev
}

// exampleFacts are the facts of every example. A rule with a rate has not been
// used yet.
var exampleFacts = Facts{Attended: true, Confined: true, Roots: exampleRoots, Used: map[string][]time.Time{}}
