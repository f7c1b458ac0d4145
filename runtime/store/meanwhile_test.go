package store

import (
	"errors"
	"os"
	"testing"

	"go.etcd.io/bbolt"

	"hardshell/policy/audit"
)

// appendRecord puts a record behind the newest one, with the true key.
func appendRecord(t *testing.T, s *Store, r audit.Line) {
	t.Helper()
	r.Time, r.Kind = t0, "act"
	r.Chain = audit.ChainValue(s.Audit.key, r.Prev, r)
	f, err := os.OpenFile(segmentPath(s.db.dir, 28), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(append(mustJSON(t, r), '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestAuditVerifyFindsWhatIsDoneMeanwhile changes records and head behind the back of
// a running agent, by somebody who can read the key.
func TestAuditVerifyFindsWhatIsDoneMeanwhile(t *testing.T) {
	headOf := func(change func(*head)) func(*testing.T, *Store) {
		return func(t *testing.T, s *Store) {
			h := s.Audit.head
			change(&h)
			if err := s.db.update("forge the head", func(tx *bbolt.Tx) error { return putHead(tx, h) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		do   func(*testing.T, *Store)
		want []AuditProblem
	}{
		"nothing": {func(*testing.T, *Store) {}, []AuditProblem{}},
		"a record more": {
			func(t *testing.T, s *Store) { appendRecord(t, s, audit.Line{Seq: 31, Prev: s.Audit.head.Chain}) },
			[]AuditProblem{{Seq: 31, What: "the segments go on to record 31, the store vouches for 30"}},
		},
		"another number in the head": {
			headOf(func(h *head) { h.Seq = 29 }),
			[]AuditProblem{{Seq: 29, What: "the store's head is at record 29, this process wrote up to 30"}},
		},
		"another chain value in the head": {
			headOf(func(h *head) { h.Chain = "forged" }),
			[]AuditProblem{{Seq: 30, What: "the store's head is at record 30, this process wrote up to 30"}},
		},
		"another count in the head": {
			headOf(func(h *head) { h.Count = 31 }),
			[]AuditProblem{{Seq: 30, What: "the store's head is at record 30, this process wrote up to 30"}},
		},
		"no head": {
			func(t *testing.T, s *Store) {
				if err := s.db.update("take the head", func(tx *bbolt.Tx) error { return tx.Bucket(bucketAudit).Delete(keyHead) }); err != nil {
					t.Fatal(err)
				}
			},
			[]AuditProblem{{Seq: 30, What: "the head of the audit is missing from the store"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openBroken(t, audited(t, 30))
			c.do(t, s)
			rep, err := s.Audit.Verify()
			if err != nil {
				t.Fatal(err)
			}
			diff(t, "problems", rep.Problems, c.want)
		})
	}
}

// TestCountThatWasChanged: a head that counts other records than it numbers is found
// at every look.
func TestCountThatWasChanged(t *testing.T) {
	dir := audited(t, 30)
	inStore(t, dir, func(b *bbolt.Bucket) error {
		h := headAt(t, dir, 30)
		h.Count = 29
		raw, err := sealJSON(keyHead, h)
		return errors.Join(err, b.Put(keyHead, raw))
	})
	rep, err := openBroken(t, dir).Audit.Verify()
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "problems", rep.Problems, []AuditProblem{{Seq: 30, What: "the store counted 29 records and the newest is number 30"}})
}

// TestRecordWithAnotherNumberIsForeign: one that continues the chain and does not
// count on is not taken in by a start.
func TestRecordWithAnotherNumberIsForeign(t *testing.T) {
	for _, seq := range []uint64{30, 32} {
		dir := audited(t, 30)
		s := openBroken(t, dir)
		appendRecord(t, s, audit.Line{Seq: seq, Prev: s.Audit.head.Chain})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openBroken(t, dir)
		diff(t, "notices", codes(s), []string{"audit_foreign", "audit_incident"})
		rep, err := s.Audit.Verify()
		diff(t, "report", []any{rep.Records, rep.Count, err}, []any{uint64(30), 1, nil})
	}
}
