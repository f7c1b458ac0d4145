package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/secret"
	"hardshell/tools/toolstest"
)

// stage is a launcher whose commands do what a test tells them while they run.
type stage struct {
	mu      sync.Mutex
	actors  []*actor
	on      chan *actor
	fail    error // nothing starts
	lateErr error // what a run ends with
}

// actor is one command on the stage.
type actor struct {
	c     tools.Command
	out   chan string // what it writes
	exit  chan tools.Exit
	typed chan string
	sigs  chan syscall.Signal
}

func newStage() *stage { return &stage{on: make(chan *actor, 100)} }

// holder is what every command on the stage is held by.
var holder = tools.Holder{PID: 4711, Start: 99, Boot: "b"}

func (s *stage) Run(ctx context.Context, c tools.Command) (tools.Exit, error) {
	if s.fail != nil {
		return tools.Exit{}, s.fail
	}
	a := &actor{c: c, out: make(chan string), exit: make(chan tools.Exit), typed: make(chan string, 10), sigs: make(chan syscall.Signal, 10)}
	s.mu.Lock()
	s.actors = append(s.actors, a)
	s.mu.Unlock()
	if c.Started != nil {
		c.Started(tools.Started{Live: a, Holder: holder, Layers: []string{"env", "mount"}})
	}
	s.on <- a
	for {
		select {
		case text := <-a.out:
			c.Output([]byte(text))
		case x := <-a.exit:
			return x, s.lateErr
		case <-ctx.Done():
			return tools.Exit{Code: -1, Signal: "SIGTERM"}, nil
		}
	}
}

func (a *actor) Write(p []byte) (int, error) { a.typed <- string(p); return len(p), nil }

func (a *actor) CloseInput() error { a.typed <- "EOF"; return nil }

func (a *actor) Signal(s syscall.Signal) error { a.sigs <- s; return nil }

// ledger is a Ledger in memory; fail makes every Put an error.
type ledger struct {
	mu   sync.Mutex
	kept map[string]json.RawMessage
	fail error
}

func (l *ledger) Put(key string, v any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail != nil {
		return l.fail
	}
	b, err := json.Marshal(v)
	l.kept[key] = b
	return err
}

func (l *ledger) All() (map[string]json.RawMessage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.kept), nil
}

func (l *ledger) Delete(key string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.kept, key)
	return nil
}

// record is what the ledger holds of a command.
func (l *ledger) record(t *testing.T, id string) (r ProcessRecord) {
	t.Helper()
	all, _ := l.All()
	if err := json.Unmarshal(all[id], &r); err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return r
}

// yard is a door with a keeper of background commands.
type yard struct {
	*door
	stage  *stage
	ledger *ledger
	keeper *Processes
	cfg    ProcessesConfig
	ended  chan string // sessions whose commands ended
}

func newYard(t *testing.T, change ...func(*ProcessesConfig)) *yard {
	t.Helper()
	y := &yard{stage: newStage(), ledger: &ledger{kept: map[string]json.RawMessage{}}, ended: make(chan string, 100)}
	y.cfg = ProcessesConfig{
		Launcher: y.stage, Ledger: y.ledger, Dir: filepath.Join(t.TempDir(), "outputs"), Agent: "main",
		Redactor: secret.New([]secret.Named{{Name: "LAB_KEY", Value: "s3cr3t-zz"}}), Now: func() time.Time { return toolstest.Noon },
	}
	for _, c := range change {
		c(&y.cfg)
	}
	y.open(t)
	return y
}

// open opens the keeper, as a start of the agent does, behind a door of its own.
func (y *yard) open(t *testing.T) {
	t.Helper()
	keeper, err := OpenProcesses(y.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(keeper.Close)
	keeper.OnEnd(func(session string) { y.ended <- session })
	d := newDoor(t)
	d.Add(NewProcessTool(keeper))
	d.exec.cfg.Processes, d.exec.cfg.Launcher = keeper, y.stage
	y.keeper, y.door = keeper, d
}

// running and pending are the commands of a session that run, and those that have
// ended without the model knowing.
func (y *yard) running(session string) []ProcessRecord {
	rs, _ := y.keeper.Commands(session)
	return rs
}

func (y *yard) pending(session string) []ProcessRecord {
	_, rs := y.keeper.Commands(session)
	return rs
}

// Begin starts a command in the background and gives it.
func (y *yard) begin(t *testing.T, want string) *actor {
	t.Helper()
	res := y.Do(t, "exec", `{"argv":["cat"],"background":true}`)
	toolstest.Diff(t, "started", res.Text, fmt.Sprintf("[%s runs on in the background, cwd %s, at most 30m (timeout_s, else exec.max_timeout). You are told when it ends]", want, y.Dir))
	return <-y.stage.on
}

// says has the command write, and waits until that has arrived.
func (y *yard) says(t *testing.T, a *actor, text string) {
	t.Helper()
	a.out <- text
	a.out <- "" // taken only when the text before has been
}

// over ends a command and waits for its session to be told.
func (y *yard) over(t *testing.T, a *actor, x tools.Exit) {
	t.Helper()
	a.exit <- x
	<-y.ended
}

func TestBackgroundIsJudgedAndOnRecord(t *testing.T) {
	y := newYard(t)
	a := y.begin(t, "p1")
	if !a.c.Open || a.c.Timeout != 30*time.Minute {
		t.Errorf("command %+v", a.c)
	}
	action := policy.Action{Tool: "exec", Kind: &policy.Exec{Argv: []string{"cat"}, Cwd: y.Dir, Background: true}}
	want := ProcessRecord{
		ID: "p1", Agent: "main", Session: "main", Subject: "cat", Digest: action.Digest(), Cwd: y.Dir, Began: toolstest.Noon, Limit: "30m", Holder: holder,
	}
	toolstest.Diff(t, "record", y.ledger.record(t, "p1"), want)
	toolstest.Diff(t, "decision", y.Auditor.Records[0].Digest, action.Digest())
	toolstest.Diff(t, "layers on record", y.Auditor.Records[1].Layers, []string{"env", "mount"})
	y.says(t, a, "half a \x1b[3")
	y.says(t, a, "1mlong\x1b[0m line\ns3cr3t-")
	y.says(t, a, "zz\n")
	y.over(t, a, tools.Exit{Code: 2, Took: 61 * time.Second})
	want.Ended, want.How, want.Failed, want.Last, want.Bytes, want.Head = toolstest.Noon, "exit 2, 1m1s", true, "half a long line\n[secret LAB_KEY]\n", 36, 34
	toolstest.Diff(t, "record of the end", y.ledger.record(t, "p1"), want)
	toolstest.Diff(t, "pending", y.pending("main"), []ProcessRecord{want})
	kept, err := os.ReadFile(y.keeper.path("p1"))
	toolstest.Diff(t, "kept", []any{string(kept), err}, []any{want.Last, nil})
	if err := y.keeper.Delivered("p1", "p7"); err != nil {
		t.Fatal(err)
	}
	toolstest.Diff(t, "told", y.ledger.record(t, "p1").Delivered, true)
}

func TestYieldWaitsInTheForegroundFirst(t *testing.T) {
	y := newYard(t)
	got := make(chan tools.Result, 1)
	go func() { got <- y.Do(t, "exec", `{"argv":["cat"],"yield_ms":30000}`) }()
	a := <-y.stage.on
	y.says(t, a, "all of it\n")
	a.exit <- tools.Exit{}
	toolstest.Diff(t, "ended in time", (<-got).Text, "all of it\n[exit 0, cwd "+y.Dir+"]")
	all, _ := y.ledger.All()
	files, _ := os.ReadDir(y.cfg.Dir)
	toolstest.Diff(t, "left behind", []int{len(all), len(files), len(y.keeper.list(func(ProcessRecord) bool { return true })), len(y.ended)}, []int{0, 0, 0, 0})
}

func TestYieldHandsOverWhatStillRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newYard(t)
		got := make(chan tools.Result, 1)
		said := ""
		go func() {
			res, err := y.Call(t.Context(), toolstest.Person, tools.Call{Name: "exec", Args: json.RawMessage(`{"argv":["cat"],"yield_ms":30000}`)}, func(text string) { said += text })
			if err != nil {
				t.Error(err)
			}
			got <- res
		}()
		a := <-y.stage.on
		y.says(t, a, "so far\n")
		began := time.Now()
		toolstest.Diff(t, "handed over", (<-got).Text, "so far\n[p1 runs on in the background, cwd "+y.Dir+", at most 30m (timeout_s, else exec.max_timeout). You are told when it ends]")
		toolstest.Diff(t, "after", time.Since(began), 30*time.Second)
		y.says(t, a, "more\n")
		toolstest.Diff(t, "only what is new", y.Do(t, "process", `{"action":"poll","id":"p1"}`).Text, "more\n[p1 runs on]")
		toolstest.Diff(t, "the person saw while the call waited", said, "so far\n")
		toolstest.Diff(t, "judged as", y.Auditor.Records[0].Subject, "cat (in "+y.Dir+", in the background)")
	})
}

func TestBackgroundArguments(t *testing.T) {
	y := newYard(t)
	for args, want := range map[string]string{
		`{"argv":["cat"],"yield_ms":-1}`:          `"yield_ms" must be between 1 and 30000, not -1`,
		`{"argv":["cat"],"yield_ms":30001}`:       `"yield_ms" must be between 1 and 30000, not 30001`,
		`{"argv":["cat"],"env":{"A=B":"c"}}`:      `"env" names a variable "A=B", which no program can be given`,
		`{"argv":["cat"],"env":{"":"c"}}`:         `"env" names a variable "", which`,
		`{"argv":["cat"],"env":{"A":"c\u0000d"}}`: `"env" names a variable "A", which`,
	} {
		if got := y.Do(t, "exec", args); got.Outcome != tools.Invalid || !strings.Contains(got.Text, want) {
			t.Errorf("%s: %+v", args, got)
		}
	}
	d := newDoor(t)
	got := d.Do(t, "exec", `{"argv":["cat"],"background":true}`)
	toolstest.Diff(t, "without a keeper", []any{got.Outcome, strings.Contains(got.Text, "no command can go to the background here")}, []any{tools.Invalid, true})
}

func TestEnvIsJudgedBoundAndGiven(t *testing.T) {
	d := newDoor(t)
	var seen []policy.Action
	d.Policy.Judge = func(a policy.Action, _ policy.Facts) policy.Decision {
		seen = append(seen, a)
		return policy.Decision{Verdict: policy.Allow}
	}
	d.Do(t, "exec", `{"argv":["cat"],"env":{"TZ":"UTC","LANG":"de_DE"}}`)
	d.Do(t, "exec", `{"argv":["cat"],"env":{"LANG":"de_DE","TZ":"UTC"}}`)
	d.Do(t, "exec", `{"argv":["cat"]}`)
	toolstest.Diff(t, "judged", seen[0].Command().Env, []string{"LANG=de_DE", "TZ=UTC"})
	toolstest.Diff(t, "given", d.Launcher.Ran[0].Env, []string{"LANG=de_DE", "TZ=UTC"})
	if seen[0].Digest() != seen[1].Digest() || seen[0].Digest() == seen[2].Digest() {
		t.Error("the digest does not bind exactly the variables")
	}
}

// What can't be put on record does not run on: nobody would find it again.
func TestNoRecordNoBackground(t *testing.T) {
	y := newYard(t)
	y.ledger.fail = errors.New("no space left on device")
	res := y.Do(t, "exec", `{"argv":["cat"],"background":true}`)
	toolstest.Diff(t, "result", []any{res.Outcome, res.Text}, []any{tools.Failed, "failed: the record of the command can't be kept, so it was ended: no space left on device"})
	toolstest.Diff(t, "runs", len(y.running("")), 0)
	y.ledger.fail = nil
	y.stage.fail = errors.New("the sandbox lacks a layer")
	res = y.Do(t, "exec", `{"argv":["cat"],"background":true}`)
	toolstest.Diff(t, "not started", res.Text, "failed: cat did not start: the sandbox lacks a layer")
	toolstest.Diff(t, "places", y.keeper.running, 0)
}

func TestTurnThatEndsTakesAYieldingCommandAlong(t *testing.T) {
	y := newYard(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-y.stage.on; cancel() }()
	res, err := y.Call(ctx, toolstest.Person, tools.Call{Name: "exec", Args: json.RawMessage(`{"argv":["cat"],"yield_ms":30000}`)}, nil)
	if !errors.Is(err, context.Canceled) || !strings.Contains(res.Text, "stopped: the turn was interrupted, it and everything it started was ended") {
		t.Errorf("%v, %+v", err, res)
	}
	toolstest.Diff(t, "left", len(y.keeper.list(func(ProcessRecord) bool { return true })), 0)
}

func TestMostCommandsAtOnce(t *testing.T) {
	y := newYard(t, func(c *ProcessesConfig) { c.Max = 2 })
	a := y.begin(t, "p1")
	y.begin(t, "p2")
	const full = "failed: cat did not start: 2 commands run in the background already and that is the most (exec.max_jobs = 2)"
	toolstest.Diff(t, "full", y.Do(t, "exec", `{"argv":["cat"],"background":true}`).Text, full+", here p1, p2; wait for one to end, or end one with process")
	other := toolstest.Person
	other.Session = "bench"
	res, err := y.Call(t.Context(), other, tools.Call{Name: "exec", Args: json.RawMessage(`{"argv":["cat"],"yield_ms":5}`)}, nil)
	toolstest.Diff(t, "full for others", []any{res.Text, err}, []any{full + "; they belong to other sessions, so wait for one to end", nil})
	y.over(t, a, tools.Exit{})
	y.begin(t, "p3")
}

// TestCase127_RestartEndsCommandsAndSaysSo: the record of a command that ran when
// the agent was killed is closed by the next start, told once, and never "no such
// id".
func TestCase127_RestartEndsCommandsAndSaysSo(t *testing.T) {
	var left []tools.Holder
	alive, audit := true, &toolstest.Auditor{}
	y := newYard(t, func(c *ProcessesConfig) {
		c.EndLeft = func(h tools.Holder) bool { left = append(left, h); return alive }
	})
	a := y.begin(t, "p1")
	y.says(t, a, "line 1\nline 2\n")
	y.begin(t, "p2")
	if err := os.WriteFile(filepath.Join(y.cfg.Dir, "p9.txt"), []byte("nobody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := y.keeper // as good as killed: nobody told it to close
	y.cfg.Auditor = audit
	y.open(t)
	before.OnEnd(nil)
	toolstest.Diff(t, "looked for", left, []tools.Holder{holder, holder})
	pending := y.pending("")
	const how = "ended at restart: the agent's process was gone, and every command ends with it; something of it was left and has been ended now"
	toolstest.Diff(t, "pending", []any{ids(pending), pending[0].How, pending[0].Last, pending[1].Last}, []any{"p1, p2", how, "line 1\nline 2\n", ""})
	toolstest.Diff(t, "audit", []any{len(audit.Records), audit.Records[0].Subject, audit.Records[0].Reason, audit.Records[0].Outcome}, []any{2, "p1 ended: cat", how, "failed"})
	toolstest.Diff(t, "swept", toolstest.There(filepath.Join(y.cfg.Dir, "p9.txt")), false)
	toolstest.Diff(t, "poll", y.Do(t, "process", `{"action":"poll","id":"p1"}`).Text, "[p1 is over: "+how+"; 14 bytes in all]")
	toolstest.Diff(t, "log", y.Do(t, "process", `{"action":"log","id":"p1"}`).Text, "line 1\nline 2\n[lines 1-2 of 2]\n[p1 is over: "+how+"; 14 bytes in all]")
	toolstest.Diff(t, "told", ids(y.pending("")), "p2")
	y.open(t)
	toolstest.Diff(t, "once", []any{ids(y.pending("")), len(left), len(audit.Records)}, []any{"p2", 2, 2})
	y.begin(t, "p3") // no number twice
}

func TestOldestEndedCommandsAreForgotten(t *testing.T) {
	y := newYard(t, func(c *ProcessesConfig) { c.Kept = 2 })
	for i := 1; i <= 4; i++ {
		a := y.begin(t, fmt.Sprintf("p%d", i))
		y.over(t, a, tools.Exit{})
		if i == 2 {
			y.Do(t, "process", `{"action":"poll","id":"p2"}`)
		}
		if i == 3 { // what was told goes first
			y.keeper.live.Wait()
			toolstest.Diff(t, "known of three", ids(y.keeper.list(func(ProcessRecord) bool { return true })), "p1, p3")
		}
	}
	y.keeper.live.Wait()
	toolstest.Diff(t, "known", ids(y.keeper.list(func(ProcessRecord) bool { return true })), "p3, p4")
	files, _ := filepath.Glob(y.cfg.Dir + "/*")
	toolstest.Diff(t, "files", len(files), 2)
	const how = "exit 0; earlier ends in this conversation that are forgotten, untold: 1 (exec.kept_jobs = 2; agent audit tail names them)"
	toolstest.Diff(t, "told with a later one", []any{ids(y.pending("")), y.pending("")[0].How, y.pending("")[1].How}, []any{"p3, p4", how, "exit 0"})
	y.open(t)
	toolstest.Diff(t, "after a restart", y.pending("")[0].How, how)
	if got := y.Do(t, "process", `{"action":"poll","id":"p1"}`); !strings.Contains(got.Text, "this session has p3, p4 (ended ones are forgotten when removed, or when there are more than exec.kept_jobs = 2)") {
		t.Error(got.Text)
	}
}
