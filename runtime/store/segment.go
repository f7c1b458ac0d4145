package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hardshell/policy/audit"
)

// maxLine bounds one audit line, in bytes.
const maxLine = 16 << 20

// segment is one audit file.
type segment struct {
	name  string
	first uint64
	size  int64
}

// segments are the files of the audit, each named by its first record.
type segments struct {
	stateDir
	// ends bounds segments whose last bytes don't belong to the chain, in bytes, by
	// name: a look leaves such bytes where they are.
	ends map[string]int64
}

// file is the path of a segment.
func (s segments) file(name string) string { return filepath.Join(s.path(auditDir), name) }

// list gives the audit files in the order of their first records.
func (s segments) list() ([]segment, error) {
	entries, err := os.ReadDir(s.path(auditDir))
	if s.opts.look && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
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
		size := info.Size()
		if end, ok := s.ends[e.Name()]; ok {
			size = end
		}
		if size > 0 { // an empty one is what a kill leaves of a rotation
			out = append(out, segment{name: e.Name(), first: first, size: size})
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

// segmentName is the file that begins with record seq.
func segmentName(seq uint64) string { return fmt.Sprintf("%012d.jsonl", seq) }

// records gives the readable records of a segment.
func (s segments) records(g segment) ([]audit.Line, error) {
	var out []audit.Line
	err := s.eachLine(g, func(_ int, line []byte, _ bool) {
		if r, problem := parseLine(line); problem == "" {
			out = append(out, r)
		}
	})
	return out, err
}

// eachLine calls fn with each line of a segment, numbered from 1, without its
// newline; whole is false for a last line that has none.
func (s segments) eachLine(g segment, fn func(n int, line []byte, whole bool)) error {
	f, err := os.Open(s.file(g.name))
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

// export writes one segment as far as it reached when the export began.
func (s segments) export(w io.Writer, g segment) error {
	f, err := os.Open(s.file(g.name))
	if err != nil {
		return classify(s.dir, "read the audit", err)
	}
	_, err = io.Copy(w, io.LimitReader(f, g.size))
	return errors.Join(err, f.Close())
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
