package labday

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"hardshell/assembly"
	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/runtime/store"
	"hardshell/runtime/workspace"
	"hardshell/test/ollama"
	"hardshell/test/scripted"
	"hardshell/tools"
	"hardshell/tools/command"
	"hardshell/tools/files"
)

// window is the context of the day in tokens, which are bytes here.
const window = 24576

// Server starts a model server with so many slots and the model of the day, in a
// folder of its own.
func Server(ctx context.Context, program, dir string, slots int) (*ollama.Server, error) {
	s, err := ollama.Start(ctx, ollama.Options{Program: program, Dir: dir, Env: []string{fmt.Sprintf("OLLAMA_NUM_PARALLEL=%d", slots)}})
	if err != nil {
		return nil, err
	}
	if err := s.CreateScripted(ctx, dir, scripted.Day()); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Clock is the simulated one.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now is the simulated time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set turns the clock.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// soak stands in for the sandbox: a command runs until End.
type soak struct{ end chan struct{} }

// Run waits for the end of the command.
func (s soak) Run(ctx context.Context, c tools.Command) (tools.Exit, error) {
	if c.Started != nil {
		c.Started(tools.Started{Live: still{}})
	}
	select {
	case <-s.end:
		c.Output([]byte("soak: 5400 s at 30 W, no error\n"))
		return tools.Exit{}, nil
	case <-ctx.Done():
		return tools.Exit{Code: -1}, nil
	}
}

// still is a command that takes no input.
type still struct{}

// Write takes nothing.
func (still) Write([]byte) (int, error) { return 0, errors.New("it reads nothing") }

// CloseInput does nothing.
func (still) CloseInput() error { return nil }

// Signal reaches nobody: the day ends it.
func (still) Signal(syscall.Signal) error { return errors.New("nobody listens") }

// Bench is an agent with all that a day needs.
type Bench struct {
	Agent *runtime.Agent
	Tap   *Tap
	Clock *Clock
	soak  soak
	ended chan string // sessions of commands that ended
	store *store.Store
	jobs  *command.Processes
}

// Close puts the bench away.
func (b *Bench) Close() error {
	b.Agent.Close()
	b.jobs.Close()
	return b.store.Close()
}

// records keeps what the jobs note, for one day.
type records struct {
	mu  sync.Mutex
	all map[string]json.RawMessage
}

// Put keeps one record.
func (r *records) Put(key string, v any) error {
	raw, err := json.Marshal(v)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[key] = raw
	return err
}

// All gives every record.
func (r *records) All() (map[string]json.RawMessage, error) { return r.all, nil }

// Delete takes one out.
func (r *records) Delete(key string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, key)
	return nil
}

// New makes a bench before a server. root is the project's folder, dir an empty one;
// habits, when given, change each request on its way to the server.
func New(s *ollama.Server, root, dir string, habits *Habits) (*Bench, error) {
	ws := filepath.Join(dir, "workspace")
	if err := os.CopyFS(ws, os.DirFS(filepath.Join(root, "test", "demo", "workspace"))); err != nil {
		return nil, err
	}
	if err := os.CopyFS(filepath.Join(ws, "skills", "codec"), os.DirFS(filepath.Join(root, "test", "labday", "testdata", "codec"))); err != nil {
		return nil, err
	}
	client, err := model.New(model.Config{Host: s.Host})
	if err != nil {
		return nil, err
	}
	st, err := store.Open(filepath.Join(dir, "state"), store.Options{})
	if err != nil {
		return nil, err
	}
	b := &Bench{
		Tap: &Tap{server: s, model: client, habits: habits}, Clock: &Clock{}, store: st,
		soak: soak{make(chan struct{})}, ended: make(chan string, 1),
	}
	b.Tap.clock = b.Clock
	if err := b.build(root, dir, ws, client); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return b, nil
}

// build puts tools and agent together.
func (b *Bench) build(root, dir, ws string, client *model.Client) error {
	name := filepath.Join(root, "deploy", "jetson", "policy.toml")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	law, err := policy.Parse(name, text)
	if err != nil {
		return err
	}
	folder, err := workspace.Open(ws)
	if err != nil {
		return err
	}
	roots, err := files.NewRoots(ws)
	if err != nil {
		return err
	}
	if b.jobs, err = command.OpenProcesses(command.ProcessesConfig{
		Launcher: b.soak, Ledger: &records{all: map[string]json.RawMessage{}}, Dir: filepath.Join(dir, "outputs"), Agent: event.MainAgent, Now: b.Clock.Now,
	}); err != nil {
		return err
	}
	b.jobs.OnEnd(func(session string) { b.ended <- session })
	broker, err := approval.Open(b.Clock.Now, b.store.Values)
	if err != nil {
		return err
	}
	under := files.Config{Roots: roots}
	reg := tools.NewRegistry(tools.Config{
		Policy: func() tools.Policy { return law }, Approver: broker, Auditor: b.store.Audit, Dir: ws, Confined: true,
		Roots: map[string]string{"workspace": ws}, CommandUID: os.Getuid(), Now: b.Clock.Now, NextQuestion: broker.NextID,
		Tools: []tools.Tool{
			command.NewExecTool(command.ExecConfig{Launcher: b.soak, Roots: roots, Timeout: 2 * time.Hour, MaxTimeout: 2 * time.Hour, Processes: b.jobs}),
			command.NewProcessTool(b.jobs), files.NewRead(under), files.NewWrite(under), files.NewEdit(under),
		},
	})
	ours := b.Tap.habits == nil
	b.Agent = runtime.New(runtime.Config{
		ID: event.MainAgent, Host: assembly.Host{Name: "bench", Board: "simulated board", OS: "linux", Arch: "arm64"},
		Dir: "/lab/workspace", Writable: []string{"/lab/workspace"}, Zone: zone, Limits: runtime.DefaultLimits(),
		ModelName: ollama.Scripted, NumCtx: window, Confined: &assembly.Confined{},
		Skills: func() []assembly.Skill {
			return []assembly.Skill{{Name: "codec", Description: "use when asked to bring up an audio codec", Location: "skills/codec/SKILL.md"}}
		},
		Model: b.Tap, Catalog: client, Tools: reg, Store: b.store.Sessions, Files: folder, Approvals: broker, Jobs: b.jobs,
		WarmUp: ours, SubSlot: ours, Now: b.Clock.Now, Log: slog.New(slog.DiscardHandler),
	})
	return nil
}
