package store

import (
	"fmt"

	"hardshell/policy/audit"
)

// maxProblems bounds what a report lists; Count goes on.
const maxProblems = 100

// AuditReport is what Verify found.
type AuditReport struct {
	Records  uint64         `json:"records"`
	Segments int            `json:"segments"`
	Problems []AuditProblem `json:"problems"`
	// Count is the number of problems, also of those beyond the ones listed.
	Count int `json:"count"`
	// Notes tell what is explained and still worth knowing: a restored store,
	// old segments that were dropped on purpose.
	Notes []string `json:"notes"`
	// Head is the chain value of the newest record. Noted elsewhere, it proves
	// later that nothing before it changed.
	Head string `json:"head"`
}

// OK reports whether the audit is whole.
func (r AuditReport) OK() bool { return r.Count == 0 }

// AuditProblem is one thing that is wrong with the audit.
type AuditProblem struct {
	Seq     uint64 `json:"seq,omitempty"`
	Segment string `json:"segment,omitempty"`
	Line    int    `json:"line,omitempty"`
	What    string `json:"what"`
}

func (r *AuditReport) problem(p AuditProblem) {
	r.Count++
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, p)
	}
}

// Verify proves the audit record by record against its key, the head in the
// store and the count. It may run while records are appended: it looks at what
// was there when it began. An error means that it could not look.
func (a *Trail) Verify() (AuditReport, error) {
	rep := AuditReport{Problems: []AuditProblem{}, Notes: []string{}}
	v := &verifier{a: a, rep: &rep}
	segs, err := v.begin()
	if err != nil {
		return rep, err
	}
	for _, g := range segs {
		if g.first <= v.base {
			continue // dropped, and a kill came before its file was gone
		}
		if err := v.segment(g); err != nil {
			return rep, err
		}
	}
	v.end()
	return rep, nil
}

// verifier walks the records and knows what must come next.
type verifier struct {
	a    *Trail
	rep  *AuditReport
	head head
	base uint64 // newest record that was dropped on purpose
	seq  uint64 // of the last record seen
	prev string // its chain value
	// lost is true where records before the next one are known to be missing, so
	// that the break in the chain is not told twice.
	lost bool
}

// begin fixes what is looked at: head, segments, earlier incidents.
func (v *verifier) begin() ([]segment, error) {
	a := v.a
	a.mu.Lock()
	defer a.mu.Unlock()
	v.head = a.head
	stored, ok, err := a.readHead()
	if err != nil {
		return nil, err
	}
	switch {
	case a.opts.look: // see recovery: it knows what a start would find
	case !ok:
		v.rep.problem(AuditProblem{Seq: a.head.Seq, What: "the head of the audit is missing from the store"})
	case stored.Seq != a.head.Seq || stored.Chain != a.head.Chain || stored.Count != a.head.Count:
		v.rep.problem(AuditProblem{Seq: stored.Seq, What: fmt.Sprintf("the store's head is at record %d, this process wrote up to %d", stored.Seq, a.head.Seq)})
	}
	found, err := a.incidents()
	if err != nil {
		return nil, err
	}
	for _, in := range append(found, a.found...) {
		if in.Explained {
			v.rep.Notes = append(v.rep.Notes, in.What)
			continue
		}
		v.rep.problem(AuditProblem{Seq: in.Seq, What: in.What + " (found " + in.Time.Format("2006-01-02 15:04:05Z") + ")"})
	}
	base, err := a.readBase()
	if err != nil {
		return nil, err
	}
	if a.key == nil && a.head.Seq > 0 {
		v.rep.Notes = append(v.rep.Notes, "the key of the audit can't be read here: that no record was changed is not proven")
	}
	v.base, v.seq, v.prev = base.Seq, base.Seq, base.Chain
	if base.Seq > 0 {
		v.rep.Notes = append(v.rep.Notes, fmt.Sprintf("records up to %d were dropped on purpose", base.Seq))
	}
	return a.segments.list()
}

// segment checks the records of one file.
func (v *verifier) segment(g segment) error {
	v.rep.Segments++
	if g.first > v.seq+1 {
		v.missing(g.first-1, AuditProblem{Segment: g.name})
	}
	return v.a.segments.eachLine(g, func(n int, line []byte, whole bool) {
		v.line(AuditProblem{Segment: g.name, Line: n}, line, whole)
	})
}

// line checks one record against the one before.
func (v *verifier) line(at AuditProblem, line []byte, whole bool) {
	r, what := parseLine(line)
	if !whole {
		what = fmt.Sprintf("record %d is cut: %d bytes of it are left", v.seq+1, len(line))
	}
	if what != "" {
		at.Seq, at.What = v.seq+1, what
		v.rep.problem(at)
		v.rep.Records++
		v.step(audit.Line{Seq: v.seq + 1}, true)
		return
	}
	v.rep.Records++
	switch {
	case r.Seq <= v.seq:
		at.Seq, at.What = r.Seq, fmt.Sprintf("record %d stands after record %d", r.Seq, v.seq)
		v.rep.problem(at)
		v.lost = true // the next one continues another record
		return
	case r.Seq > v.seq+1:
		v.missing(r.Seq-1, at)
	}
	at.Seq = r.Seq
	switch {
	case v.a.key != nil && r.Chain != audit.ChainValue(v.a.key, r.Prev, r):
		at.What = fmt.Sprintf("record %d was changed: its chain value does not match", r.Seq)
		v.rep.problem(at)
	case r.Prev != v.prev && !v.lost:
		at.What = fmt.Sprintf("record %d does not continue record %d", r.Seq, v.seq)
		v.rep.problem(at)
	}
	v.step(r, false)
}

// missing notes that records up to last are not there.
func (v *verifier) missing(last uint64, at AuditProblem) {
	at.Seq = v.seq + 1
	at.What = fmt.Sprintf("record %d is missing", last)
	if v.seq+1 != last {
		at.What = fmt.Sprintf("records %d to %d are missing", v.seq+1, last)
	}
	v.rep.problem(at)
	v.step(audit.Line{Seq: last}, true)
}

func (v *verifier) step(r audit.Line, lost bool) {
	v.seq, v.prev, v.lost = r.Seq, r.Chain, lost
}

// end compares the last record with the head.
func (v *verifier) end() {
	v.rep.Head = v.head.Chain
	switch {
	case v.seq < v.head.Seq:
		v.missing(v.head.Seq, AuditProblem{})
	case v.seq > v.head.Seq:
		v.rep.problem(AuditProblem{Seq: v.head.Seq + 1, What: fmt.Sprintf("the segments go on to record %d, the store vouches for %d", v.seq, v.head.Seq)})
	case v.prev != v.head.Chain && !v.lost:
		v.rep.problem(AuditProblem{Seq: v.seq, What: fmt.Sprintf("record %d is not the one that the store vouches for: the chain was computed anew", v.seq)})
	}
	if v.head.Count != v.head.Seq {
		v.rep.problem(AuditProblem{Seq: v.head.Seq, What: fmt.Sprintf("the store counted %d records and the newest is number %d", v.head.Count, v.head.Seq)})
	}
}
