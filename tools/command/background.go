package command

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/tools"
)

// Why a command was ended from outside, as a result says it.
var (
	errTurnOver    = errors.New("the turn was interrupted")
	errKilled      = errors.New("process was told to end it")
	errAgentStops  = errors.New("the agent stopped")
	errSessionOver = errors.New("the sub-agent that started it was done")
)

// background is one command that may outlive the call that started it. Until it is handed
// over to the background it belongs to that call and nobody else sees it.
type background struct {
	keeper  *Processes
	session string
	exec    policy.Exec // what was judged, in memory only: it may hold secrets
	limit   time.Duration
	stop    context.CancelCauseFunc
	began   chan struct{} // closed when it runs
	done    chan struct{} // closed when it is over
	out     *output       // nil when it ended under an earlier process

	mu      sync.Mutex
	rec     ProcessRecord
	started tools.Started
	handed  bool
	input   bool // its stdin is open
	exit    tools.Exit
	why     string // what ended it from outside
	err     error  // it did not start
}

// settled is a command that ended under an earlier process.
func settled(s *Processes, r ProcessRecord) *background {
	p := &background{keeper: s, session: r.Session, rec: r, handed: true, stop: func(error) {}, done: make(chan struct{})}
	close(p.done)
	return p
}

// record gives the record as it stands; known is false while the command belongs to
// the call that started it.
func (p *background) record() (r ProcessRecord, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r = p.rec
	if r.Lost > 0 {
		r.How += fmt.Sprintf("; earlier ends in this conversation that are forgotten, untold: %d (exec.kept_jobs = %d; agent audit tail names them)", r.Lost, p.keeper.cfg.Kept)
	}
	return r, p.handed
}

// run lives as long as the command.
func (p *background) run(ctx context.Context, c program) {
	c.Output, c.Open = p.out.Write, c.Stdin == ""
	c.Started = func(s tools.Started) {
		p.mu.Lock()
		p.started, p.rec.Holder, p.input = s, s.Holder, c.Open
		p.mu.Unlock()
		close(p.began)
	}
	exit, err := launch(ctx, p.keeper.cfg.Launcher, c)
	why := ""
	if ctx.Err() != nil {
		why = context.Cause(ctx).Error()
	}
	p.finish(exit, err, why)
	p.stop(nil)
}

// finish closes the record of a command that is over, and tells of it.
func (p *background) finish(exit tools.Exit, err error, why string) {
	s := p.keeper
	p.out.end()
	p.mu.Lock()
	p.exit, p.err, p.why, p.input = exit, err, why, false
	p.rec.Ended, p.rec.How = s.cfg.Now(), howItEnded(exit, p.limit, why)
	p.rec.Failed = failed(exit)
	for _, note := range append(exit.Struck, startsNote(exit.Refused)) {
		if note != "" {
			p.rec.How += "; " + note
		}
	}
	if err != nil { // it ran, and its end was not seen
		p.rec.How, p.rec.Failed = "broke: "+err.Error(), true
	}
	handed := p.handed
	if handed {
		p.settle(exit)
	}
	r := p.rec
	p.mu.Unlock()
	s.release()
	close(p.done)
	if !handed {
		return
	}
	s.mu.Lock()
	tell := s.ended
	s.mu.Unlock()
	if tell != nil {
		tell(r.Session)
	}
	_ = s.prune() // what can't be removed now is tried again at the next end
}

// settle closes output and record of a command that ended in the background. What
// can't be kept is said where it is missing.
func (p *background) settle(exit tools.Exit) {
	s := p.keeper
	p.rec.Last = p.out.last(lastWords)
	p.rec.Bytes, _ = p.out.size()
	k, err := p.out.settle()
	p.rec.Head, p.rec.Gap, p.rec.GapLines = int64(len(k.head)), k.gap, k.gapLines
	if err != nil {
		p.rec.Fault = "the kept output is not whole: " + err.Error()
	}
	if err := s.audit(p.rec, exit); err != nil {
		p.rec.Fault = "its end can't be put on record: " + err.Error()
	}
	if err := s.cfg.Ledger.Put(p.rec.ID, p.rec); err != nil {
		p.rec.Fault = "the record of its end can't be kept: " + err.Error()
	}
}

// audit puts an end in the background on record, with the programs that the command
// started by itself.
func (s *Processes) audit(r ProcessRecord, exit tools.Exit) error {
	if s.cfg.Auditor == nil {
		return nil
	}
	rec := audit.Line{
		Time: r.Ended, Kind: "note", Agent: r.Agent, Session: r.Session, Tool: "exec",
		Subject: r.ID + " ended: " + r.Subject, Digest: r.Digest, Reason: s.cfg.Redactor.Redact(r.How),
		Outcome: string(tools.OK), Layers: exit.Layers, Millis: r.Ended.Sub(r.Began).Milliseconds(),
	}
	if r.Failed {
		rec.Outcome = string(tools.Failed)
	}
	for _, one := range exit.AllStarts() {
		rec.Starts = append(rec.Starts, s.cfg.Redactor.Redact(one))
	}
	return s.cfg.Auditor.Record(context.Background(), rec)
}

// wait waits for the end, or as long as the call wants. A turn that is interrupted
// meanwhile takes the command along.
func (p *background) wait(ctx context.Context, long time.Duration) {
	limit := time.NewTimer(long)
	defer limit.Stop()
	select {
	case <-p.done:
	case <-limit.C:
	case <-ctx.Done():
		p.stop(errTurnOver)
		<-p.done
	}
}

// handOver gives the command to the background: its record is on the disk when this
// returns true. False means that it ended before; it is its call's then.
func (p *background) handOver() (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.rec.Runs() {
		return false, nil
	}
	s := p.keeper
	err := s.cfg.Ledger.Put(lastKey, number(p.rec.ID))
	if err == nil {
		err = s.cfg.Ledger.Put(p.rec.ID, p.rec)
	}
	if err != nil {
		return false, fmt.Errorf("the record of the command can't be kept, so it was ended: %w", err)
	}
	p.handed = true
	return true, nil
}

// drop takes a command out that was never handed over.
func (p *background) drop() {
	// Nobody asks for this output, and a file that stays is swept by the next start.
	_ = p.out.file.Close()
	_ = p.keeper.drop(p.rec.ID)
}

// delivered notes that the model knows of the end.
func (p *background) delivered() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec.Delivered || p.rec.Runs() {
		return nil
	}
	p.rec.Delivered = true
	if err := p.keeper.cfg.Ledger.Put(p.rec.ID, p.rec); err != nil {
		return fmt.Errorf("note that the end of %s was told: %w", p.rec.ID, err)
	}
	return nil
}

// inherit counts n forgotten ends with this one; false when the model was told of it
// already.
func (p *background) inherit(n int) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec.Delivered {
		return false, nil
	}
	p.rec.Lost += n
	if err := p.keeper.cfg.Ledger.Put(p.rec.ID, p.rec); err != nil {
		p.rec.Lost -= n
		return false, fmt.Errorf("count forgotten ends with %s: %w", p.rec.ID, err)
	}
	return true, nil
}

// failed reports an end that is no success.
func failed(x tools.Exit) bool { return x.Code != 0 || x.TimedOut || x.Flooded }
