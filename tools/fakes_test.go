package tools

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy"
	"hardshell/tools/secret"
)

var update = flag.Bool("update", false, "write the golden files anew")

// noon is the time of every test.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// fakePolicy allows unless told otherwise, and keeps what it was asked.
type fakePolicy struct {
	decide   func(policy.Action, policy.Facts) policy.Decision
	subjects policy.Subjects
	hide     map[string]bool

	mu    sync.Mutex
	facts []policy.Facts
}

func (p *fakePolicy) Decide(a policy.Action, f policy.Facts) policy.Decision {
	p.mu.Lock()
	p.facts = append(p.facts, f)
	p.mu.Unlock()
	if p.decide == nil {
		return policy.Decision{Verdict: policy.Allow, Rule: "test.allow", Reason: "allowed in tests"}
	}
	return p.decide(a, f)
}

func (p *fakePolicy) Try(a policy.Action, f policy.Facts) (policy.Decision, policy.Subjects) {
	return tried(p, p.missing(a), a, f)
}

// tried decides when every one of these facts is there.
func tried(p Policy, s policy.Subjects, a policy.Action, f policy.Facts) (policy.Decision, policy.Subjects) {
	s.Programs = slices.DeleteFunc(slices.Clone(s.Programs), func(w string) bool { _, ok := f.Programs[w]; return ok })
	s.Paths = slices.DeleteFunc(slices.Clone(s.Paths), func(w string) bool { _, ok := f.Paths[w]; return ok })
	s.Globs = slices.DeleteFunc(slices.Clone(s.Globs), func(w string) bool { _, ok := f.Globs[w]; return ok })
	if !s.Empty() {
		return policy.Decision{}, s
	}
	return p.Decide(a, f), s
}

func (p *fakePolicy) missing(a policy.Action) policy.Subjects {
	s := p.subjects
	if a.Command() != nil && len(a.Command().Argv) > 0 {
		s.Programs = append(s.Programs, a.Command().Argv[0])
	}
	if f, ok := a.Kind.(*policy.File); ok {
		s.Paths = append(s.Paths, f.Path)
	}
	return s
}

func (p *fakePolicy) Offers(tool string) bool { return !p.hide[tool] }

// always gives one verdict.
func always(v policy.Verdict) *fakePolicy {
	return &fakePolicy{decide: func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: v, Rule: "test." + v.String(), Reason: "the test says " + v.String(), Hint: "do something else"}
	}}
}

// fakeAuditor keeps records in order; fail makes the n-th (from 1) an error.
type fakeAuditor struct {
	mu      sync.Mutex
	records []policy.Record
	fail    map[int]error
	seen    int
	onEach  func(policy.Record)
}

func (a *fakeAuditor) Record(_ context.Context, r policy.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen++
	if err := a.fail[a.seen]; err != nil {
		return err
	}
	a.records = append(a.records, r)
	if a.onEach != nil {
		a.onEach(r)
	}
	return nil
}

// fakeApprover answers every question the same way.
type fakeApprover struct {
	answer Answer
	err    error
	wait   bool // until the context ends
	asked  []Question
	// meanwhile happens between question and answer.
	meanwhile func()
}

func (a *fakeApprover) Ask(ctx context.Context, q Question) (Answer, error) {
	a.asked = append(a.asked, q)
	if a.meanwhile != nil {
		a.meanwhile()
	}
	if a.wait {
		<-ctx.Done()
		return AnswerDeny, nil
	}
	return a.answer, a.err
}

// fakeLauncher writes what it is told and keeps the commands.
type fakeLauncher struct {
	writes []string
	during func() // what happens while it runs; may be nil
	exit   Exit
	err    error
	mu     sync.Mutex
	ran    []Command
}

func (l *fakeLauncher) Run(_ context.Context, c Command) (Exit, error) {
	for _, w := range l.writes {
		c.Output([]byte(w))
	}
	if l.during != nil {
		l.during()
	}
	c.Output, c.Start = nil, nil
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ran = append(l.ran, c)
	return l.exit, l.err
}

// fakeTool does what a test wants.
type fakeTool struct {
	name   string
	schema string
	plan   func(json.RawMessage) (Plan, error)
}

func (t *fakeTool) Spec() Spec {
	schema := t.schema
	if schema == "" {
		schema = `{"type":"object","properties":{"pin":{"type":"string"},"ms":{"type":"integer"},"invert":{"type":"boolean"}},"required":["pin"]}`
	}
	return Spec{Name: t.name, Schema: json.RawMessage(schema)}
}

func (t *fakeTool) Plan(_ context.Context, _ Origin, args json.RawMessage) (Plan, error) {
	if t.plan != nil {
		return t.plan(args)
	}
	return Plan{
		Action: policy.Action{Tool: t.name, Kind: policy.Status{}},
		Do: func(context.Context, Judged, func(string)) (Output, error) {
			return Output{Text: "did " + string(args)}, nil
		},
	}, nil
}

// door is a registry over fakes and a workspace of its own.
type door struct {
	*Registry
	dir      string
	journal  string // of apply_patch, where a test adds it
	roots    *Roots
	policy   *fakePolicy
	auditor  *fakeAuditor
	approver *fakeApprover
	launcher *fakeLauncher
}

// person is a chat turn with somebody at the terminal.
var person = Origin{Agent: "main", Session: "main", Turn: "t1", Run: "chat", Attended: true}

func newDoor(t *testing.T, more ...Tool) *door {
	t.Helper()
	d := &door{dir: t.TempDir(), policy: &fakePolicy{}, auditor: &fakeAuditor{}, approver: &fakeApprover{}, launcher: &fakeLauncher{}}
	var err error
	if d.dir, err = filepath.EvalSymlinks(d.dir); err != nil {
		t.Fatal(err)
	}
	if d.roots, err = NewRoots(d.dir); err != nil {
		t.Fatal(err)
	}
	masker := secret.New([]secret.Named{{Name: "LAB_KEY", Value: "s3cr3t-zz"}})
	files := FilesConfig{Roots: d.roots, Redactor: masker}
	d.Registry = NewRegistry(Config{
		Policy: func() Policy { return d.policy }, Approver: d.approver, Auditor: d.auditor,
		Tools: append([]Tool{
			NewSessionStatus(fakeStatus{}), NewEdit(files), NewWrite(files), NewRead(files),
			NewExec(ExecConfig{Launcher: d.launcher, Roots: d.roots, Redactor: masker}),
		}, more...),
		Roots: map[string]string{"workspace": d.dir}, Dir: d.dir, CommandUID: os.Getuid(),
		Redactor: masker, Now: func() time.Time { return noon },
	})
	return d
}

// call takes one call through the door as the person.
func (d *door) call(t *testing.T, name, args string) Result {
	t.Helper()
	res, err := d.Call(t.Context(), person, Call{ID: "c1", Name: name, Args: json.RawMessage(args)}, nil)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	return res
}

// file writes a file of the workspace.
func (d *door) file(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (d *door) link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(d.dir, name)); err != nil {
		t.Fatal(err)
	}
}

// content reads a file of the workspace.
func (d *door) content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

type fakeStatus struct{}

func (fakeStatus) SessionStatus(context.Context, string) (Status, error) {
	reused := 940
	return Status{Time: noon, Zone: "UTC", Model: "qwen3:4b", Window: 8192, Used: 1000, Reused: &reused, Board: "sim", Think: "low", Reasoning: "off"}, nil
}

func (fakeStatus) SetSession(_ context.Context, session string, set policy.Setting) (string, error) {
	if set.Model == "nope" {
		return "", errors.New("model nope is not on the server; choose another")
	}
	return fmt.Sprintf("%s: %s %s", session, set.Model, set.Reasoning), nil
}

func diff(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// there reports whether anything has that name.
func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
