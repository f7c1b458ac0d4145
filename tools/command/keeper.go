package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/args"
	"hardshell/tools/secret"
	"hardshell/tools/text"
)

// ProcessesConfig is what the keeper of background commands is made of.
type ProcessesConfig struct {
	Launcher tools.Launcher
	Ledger   Ledger
	// Auditor takes what a command started by itself, when it ends in the background:
	// the record of its act was made before that. Nil keeps none.
	Auditor tools.Auditor
	// Dir is the folder of kept outputs; it is made where it is missing.
	Dir string
	// Look says that no file is made or removed: no command is started, and what ended
	// is only shown.
	Look bool
	// Agent owns the commands; records of other agents are left alone.
	Agent string
	// Max commands may run at once (exec.max_jobs); Kept is how many that have ended
	// stay known (exec.kept_jobs), each with at most KeptBytes of its output
	// (exec.kept_bytes).
	Max, Kept int
	KeptBytes int64
	Limits    text.Limits
	Redactor  *secret.Redactor
	Now       func() time.Time
	// EndLeft ends what is left of a command of an earlier process and reports
	// whether anything was; nil where nothing can be.
	EndLeft func(tools.Holder) bool
}

// The defaults of ProcessesConfig.
const (
	defaultRunning   = 8
	defaultKept      = 20
	defaultKeptBytes = 4 << 20
)

// lastWords bounds what is told of a command's output when it ends.
var lastWords = text.Limits{OutputBytes: 2 << 10, OutputLines: 20}

// Processes keeps the commands that outlive the call that started them. Each belongs to
// one session, which alone sees it.
type Processes struct {
	cfg ProcessesConfig

	mu      sync.Mutex
	next    int // number of the newest one
	all     map[string]*background
	running int
	closed  bool
	ended   func(session string)
	live    sync.WaitGroup
	pruning sync.Mutex // held while ended ones are forgotten, so that none counts twice
}

// OpenProcesses opens the keeper. Commands that an earlier process left running have
// ended with it; their records say so from here on.
func OpenProcesses(cfg ProcessesConfig) (*Processes, error) {
	cfg.Max, cfg.Kept = cmp.Or(cfg.Max, defaultRunning), cmp.Or(cfg.Kept, defaultKept)
	cfg.KeptBytes = cmp.Or(cfg.KeptBytes, defaultKeptBytes)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Processes{cfg: cfg, all: map[string]*background{}}
	if cfg.Look {
		return s, s.load()
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of kept outputs: %w", err)
	}
	return s, s.load()
}

// OnEnd sets who is told that a command ended of which the model does not know yet.
// It is called from a goroutine of its own.
func (s *Processes) OnEnd(tell func(session string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = tell
}

// Commands gives the commands of a session that run, and those that have ended
// without the model knowing, oldest first; of every session when it is empty.
func (s *Processes) Commands(session string) (running, pending []ProcessRecord) {
	running, pending = []ProcessRecord{}, []ProcessRecord{}
	for _, r := range s.list(func(r ProcessRecord) bool { return session == "" || r.Session == session }) {
		switch {
		case r.Runs():
			running = append(running, r)
		case !r.Delivered:
			pending = append(pending, r)
		}
	}
	return running, pending
}

// EndSession ends what a session has running: nobody is left in it who could mind
// that, or be told.
func (s *Processes) EndSession(session string) {
	s.mu.Lock()
	var its []*background
	for _, p := range s.all {
		if p.session == session {
			p.stop(errSessionOver)
			its = append(its, p)
		}
	}
	s.mu.Unlock()
	for _, p := range its {
		<-p.done
		if _, known := p.record(); known {
			_ = p.delivered() // an end that can't be noted is kept as a pending one
		}
	}
}

// list gives the records that match, in the order of their numbers.
func (s *Processes) list(match func(ProcessRecord) bool) []ProcessRecord {
	s.mu.Lock()
	procs := make([]*background, 0, len(s.all))
	for _, p := range s.all {
		procs = append(procs, p)
	}
	s.mu.Unlock()
	out := []ProcessRecord{}
	for _, p := range procs {
		if r, known := p.record(); known && match(r) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b ProcessRecord) int { return cmp.Compare(number(a.ID), number(b.ID)) })
	return out
}

// Delivered notes that the model knows of the end of these commands.
func (s *Processes) Delivered(ids ...string) error {
	var errs []error
	for _, id := range ids {
		s.mu.Lock()
		p := s.all[id]
		s.mu.Unlock()
		if p != nil {
			errs = append(errs, p.delivered())
		}
	}
	return errors.Join(errs...)
}

// Close ends every command and waits for their ends. None starts afterwards.
func (s *Processes) Close() {
	s.mu.Lock()
	s.closed = true
	s.ended = nil
	for _, p := range s.all {
		p.stop(errAgentStops)
	}
	s.mu.Unlock()
	s.live.Wait()
}

// find gives a command of a session.
func (s *Processes) find(from tools.Origin, id string) (*background, error) {
	s.mu.Lock()
	p := s.all[id]
	s.mu.Unlock()
	if p != nil {
		if r, known := p.record(); known && r.Session == from.Session && r.Agent == from.Agent {
			return p, nil
		}
	}
	mine := s.list(func(r ProcessRecord) bool { return r.Session == from.Session && r.Agent == from.Agent })
	known := "there are none in this session"
	if len(mine) > 0 {
		known = "this session has " + ids(mine)
	}
	hint := ""
	if n := number(id); n > 0 && n <= s.newest() {
		hint = fmt.Sprintf(" (ended ones are forgotten when removed, or when there are more than exec.kept_jobs = %d)", s.cfg.Kept)
	}
	return nil, &args.Error{Field: "id", Message: fmt.Sprintf("no command %q runs in the background here or is known to have run; %s%s", text.Short(id), known, hint)}
}

func (s *Processes) newest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

// ids names commands.
func ids(rs []ProcessRecord) string {
	var out []string
	for _, r := range rs {
		out = append(out, r.ID)
	}
	return strings.Join(out, ", ")
}

// reserve takes a place among those that run, and a number.
func (s *Processes) reserve(session string) (string, error) {
	mine, _ := s.Commands(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return "", errors.New("the agent is stopping, so nothing starts any more")
	case s.running >= s.cfg.Max:
		full := fmt.Sprintf("%d commands run in the background already and that is the most (exec.max_jobs = %d)", s.running, s.cfg.Max)
		if len(mine) > 0 {
			return "", fmt.Errorf("%s, here %s; wait for one to end, or end one with process", full, ids(mine))
		}
		return "", fmt.Errorf("%s; they belong to other sessions, so wait for one to end", full)
	}
	s.running++
	s.next++
	return "p" + strconv.Itoa(s.next), nil
}

// path is the kept output of a command.
func (s *Processes) path(id string) string { return filepath.Join(s.cfg.Dir, id+".txt") }

// drop takes a command out, with its output.
func (s *Processes) drop(id string) error {
	s.mu.Lock()
	delete(s.all, id)
	s.mu.Unlock()
	if err := os.Remove(s.path(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the kept output of %s: %w", id, err)
	}
	return nil
}

// forget takes a command out, with its output and its record.
func (s *Processes) forget(id string) error { return errors.Join(s.drop(id), s.cfg.Ledger.Delete(id)) }

// prune forgets the oldest ended commands beyond exec.kept_jobs, those first that
// the model knows of.
func (s *Processes) prune() error {
	s.pruning.Lock()
	defer s.pruning.Unlock()
	over := s.list(func(r ProcessRecord) bool { return !r.Runs() })
	slices.SortStableFunc(over, func(a, b ProcessRecord) int {
		switch {
		case a.Delivered == b.Delivered:
			return 0
		case a.Delivered:
			return -1
		}
		return 1
	})
	var errs []error
	for i := 0; i < len(over)-s.cfg.Kept; i++ {
		errs = append(errs, s.outlive(over[i], over[i+1:]))
	}
	return errors.Join(errs...)
}

// outlive forgets an ended command. An end that the model does not know of yet is
// counted with a later one of its session, which tells of both; where there is none,
// the record waits to be told, without the output.
func (s *Processes) outlive(r ProcessRecord, later []ProcessRecord) error {
	if r.Delivered {
		return s.forget(r.ID)
	}
	i := slices.IndexFunc(later, func(l ProcessRecord) bool { return l.Session == r.Session && !l.Delivered })
	if i < 0 {
		return s.strip(r.ID)
	}
	s.mu.Lock()
	heir := s.all[later[i].ID]
	s.mu.Unlock()
	if heir == nil {
		return nil // removed meanwhile; the next end looks anew
	}
	if took, err := heir.inherit(r.Lost + 1); err != nil || !took {
		return err
	}
	return s.forget(r.ID)
}

// start begins a command that may outlive its call and waits until it runs.
func (s *Processes) start(ctx context.Context, r ProcessRecord, x policy.Exec, c program, say func(string)) (*background, error) {
	id, err := s.reserve(r.Session)
	if err != nil {
		return nil, err
	}
	file, err := s.create(id)
	if err != nil {
		s.release()
		return nil, fmt.Errorf("the output of the command can't be kept: %w; make room in the state folder", err)
	}
	r.ID, r.Agent, r.Began, r.Limit = id, s.cfg.Agent, s.cfg.Now(), text.Span(c.Timeout)
	life, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	p := &background{keeper: s, session: r.Session, rec: r, exec: x, limit: c.Timeout, stop: stop, began: make(chan struct{}), done: make(chan struct{})}
	p.out = newOutput(s.cfg.Limits, s.cfg.Redactor, file, s.startBytes(), say)
	s.mu.Lock()
	s.all[id] = p
	if s.closed { // since the place was taken
		stop(errAgentStops)
	}
	s.live.Go(func() { p.run(life, c) })
	s.mu.Unlock()
	select {
	case <-p.began:
	case <-p.done:
	case <-ctx.Done():
		stop(errTurnOver)
		<-p.done
	}
	return p, nil
}

// release gives a place back.
func (s *Processes) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}
