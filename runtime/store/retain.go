package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// Rules bound what is kept. A zero rule keeps everything.
type Rules struct {
	// SessionIdle removes sessions that nobody wrote to for so long, except those
	// that Keep names.
	SessionIdle time.Duration
	Keep        func(session string) bool
	// Aside removes records kept aside that are older.
	Aside time.Duration
	// AuditBytes drops the oldest audit segments while all together are larger.
	// What is dropped can't be proven any more; verify says so.
	AuditBytes int64
	// Batch is how many things one call removes at most, so that it stays short.
	// Default 100.
	Batch int
}

// Retained tells what a clean-up did. More is true when it stopped at Batch and
// another call has work to do.
type Retained struct {
	Sessions, Aside, Segments int
	More                      bool
}

// Retain removes what the rules no longer keep and takes a snapshot when one is
// due. Each step stands for itself: one that fails keeps no other from its work,
// and is named in Notices from its second failure on. It stops between steps when
// ctx is done.
func (s *Store) Retain(ctx context.Context, rules Rules) (Retained, error) {
	if rules.Batch <= 0 {
		rules.Batch = 100
	}
	var did Retained
	steps := []struct {
		name string
		run  func(Rules) (n int, more bool, err error)
		n    *int
	}{
		{"sessions", s.Sessions.retain, &did.Sessions},
		{"aside", s.db.retainAside, &did.Aside},
		{"audit", s.Audit.retain, &did.Segments},
		{"snapshot", s.db.retainSnapshot, nil},
	}
	var errs []error
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return did, errors.Join(append(errs, err)...)
		}
		n, more, err := step.run(rules)
		if step.n != nil {
			*step.n = n
		}
		did.More = did.More || more
		errs = append(errs, s.outcome(step.name, err))
	}
	return did, errors.Join(errs...)
}

// outcome counts failures in a row and names them from the second on.
func (s *Store) outcome(step string, err error) error {
	code := "store_retain_" + step
	s.mu.Lock()
	if err == nil {
		delete(s.failing, step)
	} else {
		s.failing[step]++
	}
	failures := s.failing[step]
	s.mu.Unlock()
	s.db.withdraw(code)
	if err == nil {
		return nil
	}
	if failures >= 2 {
		s.db.notice(code, fmt.Sprintf("clean-up of %s failed %d times in a row (%v)", step, failures, err), "the store grows until that is mended; agent status shows it")
	}
	return fmt.Errorf("clean-up of %s: %w", step, err)
}

func (ss *Sessions) retain(rules Rules) (n int, more bool, err error) {
	if rules.SessionIdle <= 0 {
		return 0, false, nil
	}
	before := ss.opts.Now().Add(-rules.SessionIdle)
	err = ss.update("remove idle sessions", func(tx *bbolt.Tx) error {
		n, more = 0, false
		index, err := bucket(tx, bucketSessions)
		if err != nil {
			return err
		}
		all, err := bucket(tx, bucketEntries)
		if err != nil {
			return err
		}
		var idle []string
		err = all.ForEachBucket(func(name []byte) error {
			id := string(name)
			if rules.Keep != nil && rules.Keep(id) || !sessionInfo(tx, all, id).Updated.Before(before) {
				return nil
			}
			if more = len(idle) == rules.Batch; !more {
				idle = append(idle, id)
			}
			return nil
		})
		for _, id := range idle {
			err = errors.Join(err, all.DeleteBucket([]byte(id)), index.Delete([]byte(id)))
		}
		n = len(idle)
		return err
	})
	if err != nil {
		return 0, false, err
	}
	return n, more, nil
}

func (d *database) retainAside(rules Rules) (n int, more bool, err error) {
	if rules.Aside <= 0 {
		return 0, false, nil
	}
	before := d.opts.Now().Add(-rules.Aside)
	err = d.update("remove old records kept aside", func(tx *bbolt.Tx) error {
		n, more = 0, false
		b, err := bucket(tx, bucketAside)
		if err != nil {
			return err
		}
		var old [][]byte
		c := b.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() { // oldest first
			var a dropped
			if unsealJSON(k, v, &a) == nil && !a.Time.Before(before) {
				break
			}
			if more = len(old) == rules.Batch; more {
				break
			}
			old = append(old, append([]byte(nil), k...))
		}
		for _, k := range old {
			if err := b.Delete(k); err != nil {
				return err
			}
		}
		n = len(old)
		return nil
	})
	if err != nil {
		return 0, false, err
	}
	return n, more, nil
}

// retainSnapshot takes a snapshot when the last one is old.
func (d *database) retainSnapshot(Rules) (int, bool, error) {
	return 0, false, d.snapshotIfDue(0)
}

// retain drops the oldest segments, one commit each: first the store learns
// where the chain begins now, then the file goes.
func (a *Trail) retain(rules Rules) (n int, more bool, err error) {
	if rules.AuditBytes <= 0 {
		return 0, false, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	segs, err := a.segments.list()
	if err != nil {
		return 0, false, err
	}
	total := int64(0)
	for _, g := range segs {
		total += g.size
	}
	for ; total > rules.AuditBytes && len(segs) > 1 && segs[0].name != a.head.Segment; n++ {
		if n == rules.Batch {
			return n, true, nil
		}
		if err := a.drop(segs[0]); err != nil {
			return n, false, err
		}
		total -= segs[0].size
		segs = segs[1:]
	}
	return n, false, nil
}

func (a *Trail) drop(g segment) error {
	path := a.segments.file(g.name)
	was, err := a.readBase()
	if err != nil {
		return err
	}
	if g.first <= was.Seq { // a kill came between the two halves of the last drop
		return classify(a.dir, "drop an audit segment", os.Remove(path))
	}
	records, err := a.segments.records(g)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return fmt.Errorf("audit segment %s has no record that can be read: move it away by hand", g.name)
	}
	last := records[len(records)-1]
	err = a.update("drop an audit segment", func(tx *bbolt.Tx) error {
		b, err := bucket(tx, bucketAudit)
		if err != nil {
			return err
		}
		raw, err := sealJSON(keyBase, base{Seq: last.Seq, Chain: last.Chain})
		if err != nil {
			return err
		}
		return b.Put(keyBase, raw)
	})
	if err != nil {
		return err
	}
	return classify(a.dir, "drop an audit segment", os.Remove(path))
}
