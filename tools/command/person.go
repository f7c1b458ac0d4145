package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/tools/text"
)

// Log is a part of what is kept of a command's output.
type Log struct {
	Process ProcessRecord `json:"process"`
	Text    string        `json:"text"`
	// Says names the lines that Text holds, and what of the output was not kept.
	Says string `json:"says"`
}

// Known gives every command of the agent that runs or has ended and is still known,
// oldest first, of all sessions. Bytes of one that runs is what it wrote so far.
func (s *Processes) Known() []ProcessRecord {
	rs := s.list(func(ProcessRecord) bool { return true })
	for i, r := range rs {
		if p, err := s.known(r.ID); err == nil && r.Runs() {
			rs[i].Bytes, _ = p.out.size()
		}
	}
	return rs
}

// Show gives at most n lines of what is kept of a command's output, from line from on,
// counted from 1, or the last ones when from is 0. The model does not learn of it.
func (s *Processes) Show(id string, from, n int) (Log, error) {
	if from < 0 || n < 1 {
		return Log{}, fmt.Errorf("%d lines from line %d on can't be shown; both count from 1", n, from)
	}
	p, err := s.known(id)
	if err != nil {
		return Log{}, err
	}
	k, err := p.keeps()
	if err != nil {
		return Log{}, err
	}
	t := Log{}
	t.Process, _ = p.record()
	t.Text, t.Says = k.pick(from, n, s.cfg.KeptBytes)
	return t, nil
}

// End ends a command and everything that it started, on the word of a person; by
// names the person's way in. The word is on record before it counts; where it can't be
// kept the command is ended all the same, and the error says so.
func (s *Processes) End(ctx context.Context, id, by string) (ProcessRecord, error) {
	p, err := s.known(id)
	if err != nil {
		return ProcessRecord{}, err
	}
	r, _ := p.record()
	if !r.Runs() {
		return r, fmt.Errorf("%s is over already: %s; nothing was ended", r.ID, r.How)
	}
	by = s.cfg.Redactor.Redact(by)
	lost := s.word(ctx, r, by)
	if err := p.end(ctx, fmt.Errorf("a person ended it (%s)", by)); err != nil {
		return r, errors.Join(err, lost)
	}
	r, _ = p.record()
	return r, lost
}

// word puts a person's word to end a command on record.
func (s *Processes) word(ctx context.Context, r ProcessRecord, by string) error {
	if s.cfg.Auditor == nil {
		return nil
	}
	err := s.cfg.Auditor.Record(context.WithoutCancel(ctx), audit.Line{
		Time: s.cfg.Now(), Kind: "decision", Agent: r.Agent, Session: r.Session, Run: "person", Tool: processSpec().Name,
		Subject: "kill " + r.ID + ": " + r.Subject, Digest: r.Digest, Verdict: policy.Allow.String(), Reason: "a person's word: " + by,
	})
	if err != nil {
		return fmt.Errorf("%s was told to end, and that can't be put on record: %w; agent doctor says what is wrong", r.ID, err)
	}
	return nil
}

// known gives a command of any session.
func (s *Processes) known(id string) (*background, error) {
	s.mu.Lock()
	p := s.all[id]
	s.mu.Unlock()
	if p != nil {
		if _, handed := p.record(); handed {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no command %q of agent %s runs in the background or is known to have run", text.Short(id), s.cfg.Agent)
}

// end ends the command and waits for that, as long as the launcher may take.
func (p *background) end(ctx context.Context, why error) error {
	p.stop(why)
	limit := time.NewTimer(killWait)
	defer limit.Stop()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s was told to end and has not ended yet: %w", p.rec.ID, context.Cause(ctx))
	case <-limit.C:
		return fmt.Errorf("%s does not end although it was killed: the kernel holds a process of it; look at it again later", p.rec.ID)
	}
}
