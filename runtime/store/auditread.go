package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"hardshell/policy/audit"
)

// maxTail bounds what Tail gives.
const maxTail = 10_000

// Tail gives the newest n records, oldest of them first. It reads only the
// segments that it needs; a line that can't be read is left to Verify.
func (a *Trail) Tail(n int) ([]audit.Line, error) {
	if n < 0 || n > maxTail {
		return nil, fmt.Errorf("%d records asked for, 0 to %d can be shown: use agent audit export for all", n, maxTail)
	}
	segs, err := a.extent()
	if err != nil {
		return nil, err
	}
	out := []audit.Line{}
	for i := len(segs) - 1; i >= 0 && len(out) < n; i-- {
		records, err := a.segments.records(segs[i])
		if err != nil {
			return nil, err
		}
		if over := len(out) + len(records) - n; over > 0 {
			records = records[over:]
		}
		out = append(records, out...)
	}
	return out, nil
}

// Show gives record seq; ok is false when there is none.
func (a *Trail) Show(seq uint64) (r audit.Line, ok bool, err error) {
	segs, err := a.extent()
	if err != nil {
		return audit.Line{}, false, err
	}
	for i := len(segs) - 1; i >= 0; i-- {
		if segs[i].first > seq {
			continue
		}
		records, err := a.segments.records(segs[i])
		if err != nil {
			return audit.Line{}, false, err
		}
		at := slices.IndexFunc(records, func(r audit.Line) bool { return r.Seq == seq })
		if at < 0 {
			return audit.Line{}, false, nil
		}
		return records[at], true, nil
	}
	return audit.Line{}, false, nil
}

// Export writes every line of the audit to w in order, byte for byte as it
// is kept, broken ones too: Verify judges them. Records that join meanwhile
// are not in it.
func (a *Trail) Export(w io.Writer) error {
	segs, err := a.extent()
	if err != nil {
		return err
	}
	for _, g := range segs {
		if err := a.segments.export(w, g); err != nil {
			return err
		}
	}
	return nil
}

// extent gives the segments as far as the head covers them. Appends may go on
// while they are read.
func (a *Trail) extent() ([]segment, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.segments.list()
}

// parseLine reads one line and says what is wrong with it. A line must be just
// what the record gives as JSON, so that no byte of it is free to change.
func parseLine(line []byte) (audit.Line, string) {
	var r audit.Line
	if err := json.Unmarshal(line, &r); err != nil {
		return audit.Line{}, "the line is no record: " + err.Error()
	}
	again, err := json.Marshal(r)
	if err != nil || !bytes.Equal(again, line) {
		return r, fmt.Sprintf("the line of record %d is not as it was written", r.Seq)
	}
	return r, ""
}
