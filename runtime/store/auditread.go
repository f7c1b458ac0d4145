package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"hardshell/policy"
)

// maxTail bounds what AuditTail gives.
const maxTail = 10_000

// maxLine bounds one audit line, in bytes.
const maxLine = 16 << 20

// AuditTail gives the newest n records, oldest of them first. It reads only the
// segments that it needs; a line that can't be read is left to AuditVerify.
func (s *Store) AuditTail(n int) ([]policy.Record, error) {
	if n < 0 || n > maxTail {
		return nil, fmt.Errorf("%d records asked for, 0 to %d can be shown: use agent audit export for all", n, maxTail)
	}
	segs, err := s.audit.extent()
	if err != nil {
		return nil, err
	}
	out := []policy.Record{}
	for i := len(segs) - 1; i >= 0 && len(out) < n; i-- {
		records, err := s.readSegment(segs[i])
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

// AuditShow gives record seq; ok is false when there is none.
func (s *Store) AuditShow(seq uint64) (r policy.Record, ok bool, err error) {
	segs, err := s.audit.extent()
	if err != nil {
		return policy.Record{}, false, err
	}
	for i := len(segs) - 1; i >= 0; i-- {
		if segs[i].first > seq {
			continue
		}
		records, err := s.readSegment(segs[i])
		if err != nil {
			return policy.Record{}, false, err
		}
		at := slices.IndexFunc(records, func(r policy.Record) bool { return r.Seq == seq })
		if at < 0 {
			return policy.Record{}, false, nil
		}
		return records[at], true, nil
	}
	return policy.Record{}, false, nil
}

// extent gives the segments as far as the head covers them. Appends may go on
// while they are read.
func (a *audit) extent() ([]segment, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.s.segments()
}

// readSegment gives the readable records of a segment.
func (s *Store) readSegment(g segment) ([]policy.Record, error) {
	var out []policy.Record
	err := s.eachLine(g, func(_ int, line []byte, _ bool) {
		if r, problem := parseLine(line); problem == "" {
			out = append(out, r)
		}
	})
	return out, err
}

// eachLine calls fn with each line of a segment, numbered from 1, without its
// newline; whole is false for a last line that has none.
func (s *Store) eachLine(g segment, fn func(n int, line []byte, whole bool)) error {
	f, err := os.Open(filepath.Join(s.path(auditDir), g.name))
	if err != nil {
		return classify(s.dir, "read the audit", err)
	}
	in := bufio.NewReaderSize(io.LimitReader(f, g.size), 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return f.Close()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return errors.Join(classify(s.dir, "read the audit", err), f.Close())
		}
		fn(n, bytes.TrimSuffix(line, []byte{'\n'}), err == nil)
	}
}

// readLine reads up to a newline, or maxLine bytes of a line that has none.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) || len(line) >= maxLine {
			if errors.Is(err, bufio.ErrBufferFull) {
				err = nil
			}
			return line, err
		}
	}
}

// parseLine reads one line and says what is wrong with it. A line must be just
// what the record gives as JSON, so that no byte of it is free to change.
func parseLine(line []byte) (policy.Record, string) {
	var r policy.Record
	if err := json.Unmarshal(line, &r); err != nil {
		return policy.Record{}, "the line is no record: " + err.Error()
	}
	again, err := json.Marshal(r)
	if err != nil || !bytes.Equal(again, line) {
		return r, fmt.Sprintf("the line of record %d is not as it was written", r.Seq)
	}
	return r, ""
}

// readFrom reads a file from an offset to its end.
func readFrom(path string, from int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	b, err := io.ReadAll(f)
	return b, errors.Join(err, f.Close())
}

// firstLine reads the first line of a file.
func firstLine(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	line, err := readLine(bufio.NewReader(f))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return bytes.TrimSuffix(line, []byte{'\n'}), errors.Join(err, f.Close())
}
