package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"go.etcd.io/bbolt"

	"hardshell/policy/audit"
)

// Trail is the chain of records. To append one costs the same whatever came
// before.
type Trail struct {
	marks
	segments segments
	key      []byte

	mu      sync.Mutex
	head    head
	current *os.File // the segment of head, nil until the first append
	name    string
	// stale is true when a failed append may have left bytes behind Size.
	stale bool
	// found is what a look found wrong: a start would have stored it.
	found []incident
}

// Record keeps one record, sequence and chain filled in. When it returns nil,
// the record is on the disk; otherwise nothing of it is. It goes ahead even when
// ctx is done: what happened is kept. Record implements tools.Auditor.
func (a *Trail) Record(_ context.Context, r audit.Line) error { return a.append(r) }

func (a *Trail) append(r audit.Line) error {
	const op = "keep an audit record"
	if a.opts.look {
		return onlyLooked(a.dir, op)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	line, next, err := a.next(r)
	if err != nil {
		return err
	}
	if err := a.write(line, &next); err != nil {
		return errors.Join(classify(a.dir, op, err), a.undo())
	}
	if err := a.update(op, func(tx *bbolt.Tx) error { return putHead(tx, next) }); err != nil {
		a.stale = true
		return errors.Join(err, a.undo())
	}
	a.head = next
	return nil
}

// noteLoss puts on record that the store was restored or made anew.
func (a *Trail) noteLoss(lost string) error {
	err := a.append(audit.Line{Kind: "note", Subject: "store", Reason: lost, Outcome: "restored"})
	if errors.Is(err, Full) {
		return nil // the notice of the restore stands; a full disk keeps nobody out
	}
	return err
}

// next makes the line of a record and the head after it.
func (a *Trail) next(r audit.Line) ([]byte, head, error) {
	if r.Time.IsZero() {
		r.Time = a.opts.Now()
	}
	r.Time = r.Time.UTC()
	r.Seq, r.Prev, r.Chain = a.head.Seq+1, a.head.Chain, ""
	// What JSON changes (bytes that are no UTF-8) has to be changed before the
	// chain value is taken, or the record would never verify.
	b, err := json.Marshal(r)
	if err != nil {
		return nil, head{}, fmt.Errorf("audit record: %w; give it a time between the years 0 and 9999", err)
	}
	var clean audit.Line
	if err := json.Unmarshal(b, &clean); err != nil {
		return nil, head{}, fmt.Errorf("audit record: %w; give it plain text", err)
	}
	clean.Chain = audit.ChainValue(a.key, a.head.Chain, clean)
	line, err := json.Marshal(clean)
	if err != nil {
		return nil, head{}, fmt.Errorf("audit record: %w; give it plain text", err)
	}
	next := a.head
	next.Seq, next.Chain, next.Key = clean.Seq, clean.Chain, keyPrint(a.key)
	next.Count++
	return append(line, '\n'), next, nil
}

// write appends a line to its segment and syncs it.
func (a *Trail) write(line []byte, next *head) error {
	if a.stale {
		if err := a.undo(); err != nil {
			return err
		}
	}
	if next.Segment == "" || next.Size > 0 && next.Size+int64(len(line)) > a.opts.SegmentBytes {
		next.Segment, next.Size = segmentName(next.Seq), 0
	}
	if err := a.openSegment(next.Segment); err != nil {
		return err
	}
	a.stale = true // until the head says otherwise
	if _, err := a.current.WriteAt(line, next.Size); err != nil {
		return err
	}
	if !a.opts.NoSync {
		if err := syscall.Fdatasync(int(a.current.Fd())); err != nil {
			return err
		}
	}
	next.Size += int64(len(line))
	a.stale = false
	return nil
}

// openSegment makes name the open segment.
func (a *Trail) openSegment(name string) error {
	if a.current != nil && a.name == name {
		return nil
	}
	path := a.segments.file(name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	if err := a.syncDir(a.path(auditDir)); err != nil {
		return errors.Join(err, f.Close())
	}
	if a.current != nil {
		err = a.current.Close()
	}
	a.current, a.name = f, name
	return err
}

// undo cuts the open segment back to what the head covers, so that a failed
// append leaves nothing. Where even that fails, the next append tries again.
func (a *Trail) undo() error {
	if a.current == nil {
		return nil
	}
	size := int64(0)
	if a.name == a.head.Segment {
		size = a.head.Size
	}
	if err := a.current.Truncate(size); err != nil {
		a.stale = true
		return classify(a.dir, "take back half an audit record", err)
	}
	a.stale = false
	return nil
}

func (a *Trail) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current == nil {
		return nil
	}
	f := a.current
	a.current = nil
	return f.Close()
}
