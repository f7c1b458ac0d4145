package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"go.etcd.io/bbolt"

	"hardshell/policy/audit"
)

// recovery finds the end of the chain when the store is opened.
type recovery struct {
	marks
	segments segments
	key      []byte
	head     head
	found    []incident
	// ends is not nil in a look: nothing is moved, and what a start would move aside
	// is noted here, as the size of what is left of its segment.
	ends map[string]int64
}

// openAudit finds the end of the chain. lost is why the store is older than the
// segments, empty when it is not.
func openAudit(d *database, lost string) (*Trail, error) {
	if err := os.MkdirAll(d.path(auditDir), 0o700); err != nil {
		return nil, classify(d.dir, "make the audit folder", err)
	}
	key, err := d.loadKey()
	if err != nil {
		return nil, err
	}
	r := &recovery{marks: marks{d}, segments: segments{stateDir: d.stateDir}, key: key}
	if err := r.run(lost); err != nil {
		return nil, err
	}
	return &Trail{marks: r.marks, segments: r.segments, key: key, head: r.head}, nil
}

// run moves the head to the end of the chain and stores what it found.
func (r *recovery) run(lost string) error {
	h, ok, err := r.readHead()
	if err != nil {
		return err
	}
	r.head = h
	segs, err := r.segments.list()
	if err != nil {
		return err
	}
	if r.ends != nil && !ok && len(segs) == 0 {
		return nil // nothing is on record yet
	}
	if !ok {
		r.incident("the head of the audit was missing from the store", false)
	} else if r.key != nil && h.Key != "" && h.Key != keyPrint(r.key) {
		r.incident(fmt.Sprintf("the key of the audit was replaced: records up to %d can't be proven with this one", h.Seq), false)
	}
	if err := r.catchUp(segs, lost); err != nil {
		return err
	}
	if r.ends != nil || ok && r.head == h && len(r.found) == 0 {
		return nil
	}
	return r.settle()
}

func (r *recovery) incident(what string, explained bool) {
	r.found = append(r.found, incident{Time: r.opts.Now().UTC(), Seq: r.head.Seq, What: what, Explained: explained})
}

// catchUp takes in what lies behind the head: at most one record after a kill,
// more after a restore of the store. Whatever doesn't continue the chain is moved
// aside.
func (r *recovery) catchUp(segs []segment, lost string) error {
	was := r.head
	if was.Seq == 0 && len(segs) > 0 && segs[0].first > 1 {
		r.incident(fmt.Sprintf("the store did not know that the audit begins with record %d", segs[0].first), lost != "")
		if err := r.trustStart(segs[0]); err != nil {
			return err
		}
		was = r.head
	}
	at := slices.IndexFunc(segs, func(g segment) bool { return g.name == r.head.Segment })
	if at < 0 {
		// Either the segment is gone, or an earlier start found its end cut off: what is
		// left of it is known, and only later segments can go on.
		if r.head.Segment != "" {
			r.lostTail(fmt.Sprintf("audit segment %s is missing", r.head.Segment))
		}
		at = slices.IndexFunc(segs, func(g segment) bool { return g.first > r.head.Seq })
		if at < 0 {
			at = len(segs)
		}
	}
	for _, g := range segs[at:] {
		if err := r.catchUpSegment(g); err != nil {
			return err
		}
	}
	switch n := r.head.Seq - was.Seq; {
	case lost != "" && n > 0:
		r.incident(fmt.Sprintf("the store was restored at record %d and %d records were taken in from the segments; a tail cut off before that could not be noticed", was.Seq, n), true)
	case n > 1:
		r.incident(fmt.Sprintf("the store stood at record %d and the segments went on to %d: an older copy of the store was put in place", was.Seq, r.head.Seq), false)
	}
	return nil
}

// trustStart begins the chain where the oldest segment says that it begins.
func (r *recovery) trustStart(g segment) error {
	line, err := firstLine(r.segments.file(g.name))
	if err != nil {
		return classify(r.dir, "read the audit", err)
	}
	var oldest audit.Line
	if json.Unmarshal(line, &oldest) == nil {
		r.head.Seq, r.head.Chain, r.head.Count = g.first-1, oldest.Prev, g.first-1
	}
	return nil
}

// catchUpSegment takes in the records of one segment that continue the chain.
func (r *recovery) catchUpSegment(g segment) error {
	path := r.segments.file(g.name)
	from := int64(0)
	if g.name == r.head.Segment {
		from = r.head.Size
	}
	if g.size < from {
		return r.cutSegment(g)
	}
	rest, err := readFrom(path, from)
	if err != nil {
		return classify(r.dir, "read the audit", err)
	}
	for len(rest) > 0 {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		rec, problem := r.judge(line)
		if !whole || problem != "" {
			break
		}
		r.head.Seq, r.head.Chain, r.head.Key = rec.Seq, rec.Chain, keyPrint(r.key)
		r.head.Count++
		from += int64(len(line)) + 1
		r.head.Segment, r.head.Size = g.name, from
		rest = after
	}
	if len(rest) == 0 {
		return nil
	}
	return r.moveTail(g, from, rest)
}

// cutSegment names what is gone of a segment that ends before the head says.
func (r *recovery) cutSegment(g segment) error {
	last, half := g.first-1, 0
	err := r.segments.eachLine(g, func(_ int, line []byte, whole bool) {
		if rec, problem := parseLine(line); problem == "" && whole {
			last = rec.Seq
		} else if !whole {
			half = len(line)
		}
	})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("audit segment %s was cut: it has %d bytes and should have %d; %s", g.name, g.size, r.head.Size, lostRecords(last+1, r.head.Seq))
	if half > 0 {
		what += fmt.Sprintf(", but for the first %d bytes of record %d", half, last+1)
	}
	r.lostTail(what)
	return nil
}

// lostRecords says that records are lost.
func lostRecords(first, last uint64) string {
	if first >= last {
		return fmt.Sprintf("record %d is lost", last)
	}
	return fmt.Sprintf("records %d to %d are lost", first, last)
}

// judge reads a line that should be the next record and says what is wrong with
// it.
func (r *recovery) judge(line []byte) (audit.Line, string) {
	rec, problem := parseLine(line)
	switch {
	case problem != "":
	case rec.Seq != r.head.Seq+1:
		problem = fmt.Sprintf("record %d stands after %d", rec.Seq, r.head.Seq)
	case rec.Prev != r.head.Chain || r.key != nil && rec.Chain != audit.ChainValue(r.key, rec.Prev, rec):
		problem = fmt.Sprintf("record %d does not continue the chain", rec.Seq)
	}
	return rec, problem
}

// moveTail takes bytes that don't continue the chain out of a segment and keeps
// them beside it. Half a line is what a kill leaves; anything else is an
// incident.
func (r *recovery) moveTail(g segment, from int64, rest []byte) error {
	path := r.segments.file(g.name)
	torn := bytes.IndexByte(rest, '\n') < 0
	if r.ends != nil {
		r.ends[g.name] = from
		if !torn {
			r.incident(fmt.Sprintf("%d bytes after record %d of %s don't continue the chain", len(rest), r.head.Seq, g.name), false)
		}
		return nil
	}
	var aside string
	var err error
	if from == 0 {
		aside, err = r.setAside(filepath.Join(auditDir, g.name), "aside")
	} else {
		aside, err = r.keepTail(g.name, rest)
		if err == nil {
			err = os.Truncate(path, from)
		}
	}
	if err != nil {
		return classify(r.dir, "move the end of an audit segment aside", err)
	}
	if torn {
		r.notice("audit_torn", fmt.Sprintf("the audit ended in half a record (%d bytes), never acknowledged; it is kept as %s", len(rest), aside), "nothing is missing; agent audit verify proves it")
		return nil
	}
	what := fmt.Sprintf("%d bytes after record %d did not continue the chain and are kept as %s", len(rest), r.head.Seq, aside)
	r.notice("audit_foreign", what, "find out who writes to the audit folder")
	r.incident(what, false)
	return nil
}

func (r *recovery) keepTail(name string, rest []byte) (string, error) {
	tmp, err := r.writeTemp(func(w io.Writer) error {
		_, err := w.Write(rest)
		return err
	})
	if err != nil {
		return "", err
	}
	to := filepath.Join(auditDir, fmt.Sprintf("%s.aside-%s", name, r.opts.Now().UTC().Format("20060102T150405.000000000Z")))
	return to, os.Rename(tmp, r.path(to))
}

// lostTail notes that records the store vouches for are gone. What is left stays
// as it is; the chain goes on in a segment of its own.
func (r *recovery) lostTail(what string) {
	r.head.Segment, r.head.Size = "", 0
	r.notice("audit_cut", what, "what is left is kept and shown; agent audit verify names what is missing")
}

// settle stores what the start found. On a full disk the next start finds it
// again.
func (r *recovery) settle() error {
	err := r.update("settle the audit", func(tx *bbolt.Tx) error {
		if err := putHead(tx, r.head); err != nil {
			return err
		}
		if len(r.found) == 0 {
			return nil
		}
		b, err := tx.Bucket(bucketAudit).CreateBucketIfNotExists(incidentsKey)
		if err != nil {
			return err
		}
		for _, in := range r.found {
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
	for _, in := range r.found {
		if !in.Explained {
			r.notice("audit_incident", in.What, "agent audit verify shows what is still proven")
		}
	}
	if errors.Is(err, Full) {
		r.notice("store_full", err.Error(), "")
		return nil
	}
	return err
}
