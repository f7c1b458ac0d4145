package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"hardshell/policy"
)

// incident is what a start found wrong with the audit and what a later look at
// the files could no longer show. Verify tells of it for ever after.
type incident struct {
	Time time.Time `json:"time"`
	Seq  uint64    `json:"seq"`
	What string    `json:"what"`
	// Explained is true for what a restore of the store brings with it; it is
	// then no problem but worth knowing.
	Explained bool `json:"explained,omitempty"`
}

// openAudit finds the end of the chain. lost is why the store is older than the
// segments, empty when it is not.
func openAudit(s *Store, lost string) (*audit, error) {
	if err := os.MkdirAll(s.path(auditDir), 0o700); err != nil {
		return nil, classify(s.dir, "make the audit folder", err)
	}
	key, _, err := s.loadKey()
	if err != nil {
		return nil, err
	}
	h, ok, err := s.readHead()
	if err != nil {
		return nil, err
	}
	segs, err := s.segments()
	if err != nil {
		return nil, err
	}
	a := &audit{s: s, key: key, head: h}
	var found []incident
	if !ok {
		found = append(found, a.incident("the head of the audit was missing from the store", false))
	} else if h.Key != "" && h.Key != keyPrint(key) {
		found = append(found, a.incident(fmt.Sprintf("the key of the audit was replaced: records up to %d can't be proven with this one", h.Seq), false))
	}
	more, err := a.catchUp(segs, lost)
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	found = append(found, more...)
	if !ok || a.head != h || len(found) > 0 {
		err = a.settle(found)
	}
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *audit) incident(what string, explained bool) incident {
	return incident{Time: a.s.opts.Now().UTC(), Seq: a.head.Seq, What: what, Explained: explained}
}

// catchUp takes in what lies behind the head: at most one record after a kill,
// more after a restore of the store. Whatever doesn't continue the chain is moved
// aside.
func (a *audit) catchUp(segs []segment, lost string) ([]incident, error) {
	was := a.head
	var found []incident
	if was.Seq == 0 && len(segs) > 0 && segs[0].first > 1 {
		found = append(found, a.incident(fmt.Sprintf("the store did not know that the audit begins with record %d", segs[0].first), lost != ""))
		if err := a.trustStart(segs[0]); err != nil {
			return nil, err
		}
		was = a.head
	}
	at := slices.IndexFunc(segs, func(g segment) bool { return g.name == a.head.Segment })
	if a.head.Segment != "" && at < 0 {
		a.lostTail(fmt.Sprintf("audit segment %s is missing", a.head.Segment))
		at = slices.IndexFunc(segs, func(g segment) bool { return g.first > a.head.Seq })
		if at < 0 {
			at = len(segs)
		}
	}
	for _, g := range segs[max(at, 0):] {
		more, err := a.catchUpSegment(g)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	switch n := a.head.Seq - was.Seq; {
	case lost != "" && n > 0:
		found = append(found, a.incident(fmt.Sprintf("the store was restored at record %d and %d records were taken in from the segments; a tail cut off before that could not be noticed", was.Seq, n), true))
	case n > 1:
		found = append(found, a.incident(fmt.Sprintf("the store stood at record %d and the segments went on to %d: an older copy of the store was put in place", was.Seq, a.head.Seq), false))
	}
	return found, nil
}

// trustStart begins the chain where the oldest segment says that it begins.
func (a *audit) trustStart(g segment) error {
	line, err := firstLine(filepath.Join(a.s.path(auditDir), g.name))
	if err != nil {
		return classify(a.s.dir, "read the audit", err)
	}
	var r policy.Record
	if json.Unmarshal(line, &r) == nil {
		a.head.Seq, a.head.Chain, a.head.Count = g.first-1, r.Prev, g.first-1
	}
	return nil
}

// catchUpSegment takes in the records of one segment that continue the chain.
func (a *audit) catchUpSegment(g segment) ([]incident, error) {
	path := filepath.Join(a.s.path(auditDir), g.name)
	from := int64(0)
	if g.name == a.head.Segment {
		from = a.head.Size
	}
	if g.size < from {
		a.lostTail(fmt.Sprintf("audit segment %s has %d bytes and should have %d", g.name, g.size, from))
		return nil, nil
	}
	rest, err := readFrom(path, from)
	if err != nil {
		return nil, classify(a.s.dir, "read the audit", err)
	}
	for len(rest) > 0 {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		r, problem := a.judge(line)
		if !whole || problem != "" {
			break
		}
		a.head.Seq, a.head.Chain, a.head.Key = r.Seq, r.Chain, keyPrint(a.key)
		a.head.Count++
		from += int64(len(line)) + 1
		a.head.Segment, a.head.Size = g.name, from
		rest = after
	}
	if len(rest) == 0 {
		return nil, nil
	}
	return a.moveTail(g, from, rest)
}

// judge reads a line that should be the next record and says what is wrong with
// it.
func (a *audit) judge(line []byte) (policy.Record, string) {
	r, problem := parseLine(line)
	switch {
	case problem != "":
	case r.Seq != a.head.Seq+1:
		problem = fmt.Sprintf("record %d stands after %d", r.Seq, a.head.Seq)
	case r.Prev != a.head.Chain || r.Chain != policy.ChainValue(a.key, r.Prev, r):
		problem = fmt.Sprintf("record %d does not continue the chain", r.Seq)
	}
	return r, problem
}

// moveTail takes bytes that don't continue the chain out of a segment and keeps
// them beside it. Half a line is what a kill leaves; anything else is an
// incident.
func (a *audit) moveTail(g segment, from int64, rest []byte) ([]incident, error) {
	path := filepath.Join(a.s.path(auditDir), g.name)
	var aside string
	var err error
	if from == 0 {
		aside, err = a.s.setAside(filepath.Join(auditDir, g.name), "aside")
	} else {
		aside, err = a.keepTail(g.name, rest)
		if err == nil {
			err = os.Truncate(path, from)
		}
	}
	if err != nil {
		return nil, classify(a.s.dir, "move the end of an audit segment aside", err)
	}
	if bytes.IndexByte(rest, '\n') < 0 {
		a.s.notice("audit_torn", fmt.Sprintf("the audit ended in half a record (%d bytes), never acknowledged; it is kept as %s", len(rest), aside), "nothing is missing; agent audit verify proves it")
		return nil, nil
	}
	what := fmt.Sprintf("%d bytes after record %d did not continue the chain and are kept as %s", len(rest), a.head.Seq, aside)
	a.s.notice("audit_foreign", what, "find out who writes to the audit folder")
	return []incident{a.incident(what, false)}, nil
}

func (a *audit) keepTail(name string, rest []byte) (string, error) {
	tmp, err := a.s.writeTemp(func(w io.Writer) error {
		_, err := w.Write(rest)
		return err
	})
	if err != nil {
		return "", err
	}
	to := filepath.Join(auditDir, fmt.Sprintf("%s.aside-%s", name, a.s.opts.Now().UTC().Format("20060102T150405.000000000Z")))
	return to, os.Rename(tmp, a.s.path(to))
}

// lostTail notes that records the store vouches for are gone. What is left stays
// as it is; the chain goes on in a segment of its own.
func (a *audit) lostTail(what string) {
	a.head.Segment, a.head.Size = "", 0
	a.s.notice("audit_cut", what+": records are missing", "agent audit verify names them")
}

// settle stores what the start found. On a full disk the next start finds it
// again.
func (a *audit) settle(found []incident) error {
	err := a.s.update("settle the audit", func(tx *bbolt.Tx) error {
		if err := putHead(tx, a.head); err != nil {
			return err
		}
		if len(found) == 0 {
			return nil
		}
		b, err := tx.Bucket(bucketAudit).CreateBucketIfNotExists(incidentsKey)
		if err != nil {
			return err
		}
		for _, in := range found {
			n, err := b.NextSequence()
			if err != nil {
				return err
			}
			key := seqKey(n)
			raw, err := sealJSON(key, in)
			if err != nil {
				return err
			}
			if err := b.Put(key, raw); err != nil {
				return err
			}
		}
		return nil
	})
	for _, in := range found {
		if !in.Explained {
			a.s.notice("audit_incident", in.What, "agent audit verify shows what is still proven")
		}
	}
	var full *Full
	if errors.As(err, &full) {
		a.s.notice("store_full", full.Error(), "")
		return nil
	}
	return err
}

// incidents lists what earlier starts found.
func (s *Store) incidents() ([]incident, error) {
	var out []incident
	err := s.view("read the audit's incidents", func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketAudit)
		if b == nil || b.Bucket(incidentsKey) == nil {
			return nil
		}
		return b.Bucket(incidentsKey).ForEach(func(k, v []byte) error {
			var in incident
			if err := unsealJSON(k, v, &in); err != nil {
				in = incident{What: "a note of an earlier incident can't be read: " + err.Error()}
			}
			out = append(out, in)
			return nil
		})
	})
	return out, err
}

// noteLoss puts on record that the store was restored or made anew.
func (s *Store) noteLoss(lost string) error {
	err := s.audit.append(policy.Record{Kind: "note", Subject: "store", Reason: lost, Outcome: "restored"})
	var full *Full
	if errors.As(err, &full) {
		return nil // the notice of the restore stands; a full disk keeps nobody out
	}
	return err
}

// segment is one audit file.
type segment struct {
	name  string
	first uint64
	size  int64
}

// segments lists the audit files in the order of their first records.
func (s *Store) segments() ([]segment, error) {
	entries, err := os.ReadDir(s.path(auditDir))
	if err != nil {
		return nil, classify(s.dir, "list the audit", err)
	}
	var out []segment
	for _, e := range entries {
		digits, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok {
			continue
		}
		first, err := strconv.ParseUint(digits, 10, 64)
		if err != nil || segmentName(first) != e.Name() {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, classify(s.dir, "list the audit", err)
		}
		if info.Size() > 0 { // an empty one is what a kill leaves of a rotation
			out = append(out, segment{name: e.Name(), first: first, size: info.Size()})
		}
	}
	slices.SortFunc(out, func(a, b segment) int {
		if a.first < b.first {
			return -1
		}
		return 1
	})
	return out, nil
}
