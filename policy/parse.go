package policy

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"hardshell/policy/argv"
	"hardshell/policy/shell"
	"hardshell/policy/wording"
)

// maxFile bounds a policy file, in bytes.
const maxFile = 1 << 20

// reader turns the tree of a policy file into a Policy and collects everything
// that is wrong with it.
type reader struct {
	src      []byte
	problems []Problem
	ids      map[string]bool
}

// Parse reads a policy file. name stands in messages. A file with any fault is
// refused whole: the error is a *FileError that holds every problem with its
// place. The examples of all rules are run.
func Parse(name string, src []byte) (*Policy, error) {
	hash := digest(src)
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	r := reader{src: src, ids: map[string]bool{}}
	switch {
	case len(src) > maxFile:
		r.fail(span{}, fmt.Sprintf("the file has %d bytes; a policy may have %d", len(src), maxFile))
	case len(bytes.TrimSpace(src)) == 0:
		r.fail(span{}, "the file is empty; agent init writes the lab policy")
	case !utf8.Valid(src):
		r.fail(span{firstInvalid(src), 1}, "the file is not UTF-8 here; save it as UTF-8")
	}
	if r.problems != nil {
		return nil, &FileError{name, r.problems}
	}
	root, bad := readSource(src)
	if bad != nil {
		return nil, &FileError{name, []Problem{*bad}}
	}
	p := r.policy(root)
	p.hash = hash
	if r.problems == nil {
		r.examples(p)
	}
	if r.problems != nil {
		sortProblems(r.problems)
		return nil, &FileError{name, r.problems}
	}
	return p, nil
}

// firstInvalid is the offset of the first byte that is not UTF-8.
func firstInvalid(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

// fail records a problem.
func (r *reader) fail(at span, text string) {
	r.problems = append(r.problems, problem(r.src, at, text))
}

// policy reads the whole file.
func (r *reader) policy(root *node) *Policy {
	p := &Policy{exec: map[string][]*execRule{}, unlisted: Deny}
	r.keys(root, "the policy", "version", "name", "unlisted", "env", "tools", "file", "exec", "waive", "unattended", "profile")
	if v := root.get("version"); v == nil {
		r.fail(root.at, "version is missing: write version = 1 at the top")
	} else if r.want(v, isInt, "version") && v.num != 1 {
		r.fail(v.at, fmt.Sprintf("version %d is not known; this program reads version 1", v.num))
	}
	p.name = r.text(root, "name")
	if p.name == "" {
		p.name = "unnamed"
	}
	p.unlisted = r.verdict(root, "unlisted", Deny, Deny, Ask)
	p.env = r.list(root, "env")
	for i, name := range p.env {
		if shell.Steers(name) || !argv.EnvName(name) {
			r.fail(root.get("env").items[i].at, fmt.Sprintf("%q can't be given to commands: it changes which programs run, or is no name", name))
		}
	}
	r.tools(root, p)
	for _, t := range r.tables(root, "file") {
		r.file(t, p)
	}
	for _, t := range r.tables(root, "exec") {
		r.exec(t, p)
	}
	for _, t := range r.tables(root, "waive") {
		r.waive(t, p)
	}
	for _, t := range r.tables(root, "unattended") {
		r.unattended(t, p)
	}
	for _, t := range r.tables(root, "profile") {
		r.profile(t, p)
	}
	return p
}

// tools reads the tool lists.
func (r *reader) tools(root *node, p *Policy) {
	t := root.get("tools")
	if t == nil {
		p.toolAllow = []string{"*"}
		return
	}
	if !r.want(t, isTable, "tools") {
		return
	}
	r.keys(t, "[tools]", "allow", "deny")
	p.toolAllow, p.toolDeny = r.toolWords(t, "allow"), r.toolWords(t, "deny")
	if t.get("allow") == nil {
		p.toolAllow = []string{"*"}
	}
}

// toolWords reads a list of tool names and groups.
func (r *reader) toolWords(t *node, key string) []string {
	words := r.list(t, key)
	for i, w := range words {
		if !isToolWord(w) {
			r.fail(t.get(key).items[i].at, fmt.Sprintf("there is no tool or group %q%s", w, wording.DidYouMean(w, toolWords())))
		}
	}
	return words
}

// file reads one [[file]].
func (r *reader) file(t *node, p *Policy) {
	r.keys(t, "[[file]]", "id", "root", "path", "ops", "verdict", "why", "match", "not_match")
	f := &fileRule{at: t.at, why: r.why(t), root: r.text(t, "root"), pattern: r.text(t, "path"), verdict: r.verdict(t, "verdict", Allow, Deny, Ask, Allow)}
	if rest, ok := strings.CutPrefix(f.pattern, "~/"); ok && f.root == "" {
		f.root, f.pattern = "home", rest
	}
	switch {
	case f.root == "" && !strings.HasPrefix(f.pattern, "/"):
		r.fail(t.at, `a file rule needs a root ("workspace", "docs", "skills") or an absolute path`)
	case f.root != "" && own[f.root]:
		r.fail(t.get("root").at, fmt.Sprintf("the root %q belongs to the agent itself and can't be opened", f.root))
	case f.root != "" && !slices.Contains(fileRoots, f.root):
		r.fail(t.get("root").at, fmt.Sprintf("there is no root %q%s; there are %s", f.root, wording.DidYouMean(f.root, fileRoots), strings.Join(fileRoots, ", ")))
	case f.root != "" && strings.HasPrefix(f.pattern, "/"):
		r.fail(t.get("path").at, "a path beneath a root does not begin with /")
	}
	if f.root != "" && f.pattern == "" {
		f.pattern = "**"
	}
	if f.pattern != "/" {
		f.pattern = strings.TrimSuffix(f.pattern, "/")
	}
	for part := range strings.SplitSeq(f.pattern, "/") {
		if _, err := path.Match(part, ""); err != nil || part == ".." {
			r.fail(t.get("path").at, fmt.Sprintf("%q is no path pattern: use *, ?, [a-z] and ** between slashes", f.pattern))
			break
		}
	}
	if f.verdict == Deny && !strings.HasSuffix(f.pattern, "**") {
		f.pattern = strings.TrimSuffix(f.pattern, "/") + "/**" // a denied folder is denied with all that it holds
	}
	f.glob = argv.CompileGlob(f.pattern)
	f.ops = r.ops(t)
	f.id = r.id(t, "file.", fileID(f))
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
func (r *reader) ops(t *node) ops {
	words := r.list(t, "ops")
	if len(words) == 0 {
		if n := t.get("ops"); n == nil || n.kind == isArray {
			r.fail(t.at, `ops is missing: write ops = ["read"], ["list"] or ["read", "write"]`)
		}
	}
	var out []FileOp
	for i, w := range words {
		op := FileOp(w)
		if op != Read && op != Write && op != List {
			r.fail(t.get("ops").items[i].at, fmt.Sprintf("there is no operation %q%s; there are read, write, list", w, wording.DidYouMean(w, []string{"read", "write", "list"})))
			continue
		}
		out = append(out, op)
	}
	return opsOf(out...)
}

// waive reads one [[waive]].
func (r *reader) waive(t *node, p *Policy) {
	r.keys(t, "[[waive]]", "rule", "why")
	w := waiver{r.text(t, "rule"), r.why(t)}
	var ids []string
	for _, b := range builtins {
		if !b.fixed {
			ids = append(ids, b.id)
		}
	}
	if !slices.Contains(ids, w.rule) {
		at := t.at
		if n := t.get("rule"); n != nil {
			at = n.at
		}
		r.fail(at, fmt.Sprintf("%q can't be waived%s; these can: %s", w.rule, wording.DidYouMean(w.rule, ids), strings.Join(ids, ", ")))
	}
	p.waivers = append(p.waivers, w)
}

// profile reads one [[profile]].
func (r *reader) profile(t *node, p *Policy) {
	r.keys(t, "[[profile]]", "name", "why", "tools_deny", "exec", "write", "ask")
	pr := profile{
		name: r.text(t, "name"), why: r.why(t), toolDeny: r.toolWords(t, "tools_deny"), exec: r.list(t, "exec"), hasExec: t.get("exec") != nil,
		write: r.yes(t, "write", true), ask: r.yes(t, "ask", true),
	}
	if pr.name == "" || slices.ContainsFunc(p.profiles, func(o profile) bool { return o.name == pr.name }) {
		r.fail(t.at, "a profile needs a name of its own")
	}
	var ids []string
	for _, e := range p.execOrder {
		ids = append(ids, e.id)
	}
	ids = append(ids, "builtin.wrapper")
	for i, id := range pr.exec {
		if !slices.Contains(ids, id) {
			r.fail(t.get("exec").items[i].at, fmt.Sprintf("there is no exec rule %q%s", id, wording.DidYouMean(id, ids)))
		}
	}
	p.profiles = append(p.profiles, pr)
}
