package command

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hardshell/policy"
	"hardshell/tools"
)

// Why a command was ended from outside, as a result says it.
var (
	errTurnOver    = errors.New("the turn was interrupted")
	errKilled      = errors.New("process was told to end it")
	errAgentStops  = errors.New("the agent stopped")
	errSessionOver = errors.New("the sub-agent that started it was done")
)

// process is one command that may outlive the call that started it. Until it is handed
// over to the background it belongs to that call and nobody else sees it.
type process struct {
	keeper  *Processes
	session string
	exec    policy.Exec // what was judged, in memory only: it may hold secrets
	limit   time.Duration
	stop    context.CancelCauseFunc
	began   chan struct{} // closed when it runs
	done    chan struct{} // closed when it is over
	out     *output       // nil when it ended under an earlier process

	mu      sync.Mutex
	rec     Record
	started tools.Started
	handed  bool
	input   bool // its stdin is open
	exit    tools.Exit
	why     string // what ended it from outside
	err     error  // it did not start
}

// settled is a command that ended under an earlier process.
func settled(s *Processes, r Record) *process {
	j := &process{keeper: s, session: r.Session, rec: r, handed: true, stop: func(error) {}, done: make(chan struct{})}
	close(j.done)
	return j
}

// record gives the record as it stands; known is false while the command belongs to
// the call that started it.
func (j *process) record() (r Record, known bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r = j.rec
	if r.Lost > 0 {
		r.How += fmt.Sprintf("; earlier ends in this conversation that are forgotten, untold: %d (exec.kept_jobs = %d; agent audit tail names them)", r.Lost, j.keeper.cfg.Kept)
	}
	return r, j.handed
}

// run lives as long as the command.
func (j *process) run(ctx context.Context, c command) {
	c.Output, c.Open = j.out.Write, c.Stdin == ""
	c.Started = func(s tools.Started) {
		j.mu.Lock()
		j.started, j.rec.Holder, j.input = s, s.Holder, c.Open
		j.mu.Unlock()
		close(j.began)
	}
	exit, err := launch(ctx, j.keeper.cfg.Launcher, c)
	why := ""
	if ctx.Err() != nil {
		why = context.Cause(ctx).Error()
	}
	j.finish(exit, err, why)
	j.stop(nil)
}

// finish closes the record of a command that is over, and tells of it.
func (j *process) finish(exit tools.Exit, err error, why string) {
	s := j.keeper
	j.out.end()
	j.mu.Lock()
	j.exit, j.err, j.why, j.input = exit, err, why, false
	j.rec.Ended, j.rec.How = s.cfg.Now(), howItEnded(exit, j.limit, why)
	j.rec.Failed = failed(exit)
	for _, note := range append(exit.Struck, startsNote(exit.Refused)) {
		if note != "" {
			j.rec.How += "; " + note
		}
	}
	if err != nil { // it ran, and its end was not seen
		j.rec.How, j.rec.Failed = "broke: "+err.Error(), true
	}
	handed := j.handed
	if handed {
		j.settle(exit)
	}
	r := j.rec
	j.mu.Unlock()
	s.release()
	close(j.done)
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
func (j *process) settle(exit tools.Exit) {
	s := j.keeper
	j.rec.Last = j.out.last(lastWords)
	j.rec.Bytes, _ = j.out.size()
	k, err := j.out.settle()
	j.rec.Head, j.rec.Gap, j.rec.GapLines = int64(len(k.head)), k.gap, k.gapLines
	if err != nil {
		j.rec.Fault = "the kept output is not whole: " + err.Error()
	}
	if err := s.audit(j.rec, exit); err != nil {
		j.rec.Fault = "its end can't be put on record: " + err.Error()
	}
	if err := s.cfg.Ledger.Put(j.rec.ID, j.rec); err != nil {
		j.rec.Fault = "the record of its end can't be kept: " + err.Error()
	}
}

// audit puts an end in the background on record, with the programs that the command
// started by itself.
func (s *Processes) audit(r Record, exit tools.Exit) error {
	if s.cfg.Auditor == nil {
		return nil
	}
	rec := policy.Record{
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

// Wait waits for the end, or as long as the call wants. A turn that is interrupted
// meanwhile takes the command along.
func (j *process) wait(ctx context.Context, long time.Duration) {
	limit := time.NewTimer(long)
	defer limit.Stop()
	select {
	case <-j.done:
	case <-limit.C:
	case <-ctx.Done():
		j.stop(errTurnOver)
		<-j.done
	}
}

// handOver gives the command to the background: its record is on the disk when this
// returns true. False means that it ended before; it is its call's then.
func (j *process) handOver() (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.rec.Runs() {
		return false, nil
	}
	s := j.keeper
	err := s.cfg.Ledger.Put(lastKey, number(j.rec.ID))
	if err == nil {
		err = s.cfg.Ledger.Put(j.rec.ID, j.rec)
	}
	if err != nil {
		return false, fmt.Errorf("the record of the command can't be kept, so it was ended: %w", err)
	}
	j.handed = true
	return true, nil
}

// drop takes a command out that was never handed over.
func (j *process) drop() {
	// Nobody asks for this output, and a file that stays is swept by the next start.
	_ = j.out.file.Close()
	_ = j.keeper.drop(j.rec.ID)
}

// delivered notes that the model knows of the end.
func (j *process) delivered() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.rec.Delivered || j.rec.Runs() {
		return nil
	}
	j.rec.Delivered = true
	if err := j.keeper.cfg.Ledger.Put(j.rec.ID, j.rec); err != nil {
		return fmt.Errorf("note that the end of %s was told: %w", j.rec.ID, err)
	}
	return nil
}

// inherit counts n forgotten ends with this one; false when the model was told of it
// already.
func (j *process) inherit(n int) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.rec.Delivered {
		return false, nil
	}
	j.rec.Lost += n
	if err := j.keeper.cfg.Ledger.Put(j.rec.ID, j.rec); err != nil {
		j.rec.Lost -= n
		return false, fmt.Errorf("count forgotten ends with %s: %w", j.rec.ID, err)
	}
	return true, nil
}

// failed reports an end that is no success.
func failed(x tools.Exit) bool { return x.Code != 0 || x.TimedOut || x.Flooded }
