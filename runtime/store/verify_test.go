package store

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"hardshell/policy/audit"
)

// rechain computes the chain anew from record first on, with the true key, as
// somebody would who can read it.
func rechain(t *testing.T, dir string, first uint64, change func(*audit.Line)) {
	t.Helper()
	s := segments{stateDir: stateDir{dir: dir}}
	key, err := s.loadKey()
	if err != nil {
		t.Fatal(err)
	}
	prev := ""
	segs, err := s.list()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range segs {
		editLines(t, dir, g.first, func(lines [][]byte) [][]byte {
			for i, line := range lines {
				r, problem := parseLine(bytes.TrimSpace(line))
				if problem != "" {
					continue
				}
				if r.Seq >= first {
					change(&r)
					r.Prev = prev
					r.Chain = audit.ChainValue(key, prev, r)
					lines[i] = append(mustJSON(t, r), '\n')
				}
				prev = r.Chain
			}
			return lines
		})
	}
}

// What verify must find: 30 records, three in each segment (1, 4, 7, …).
var tampering = []struct {
	name string
	do   func(t *testing.T, dir string)
	want []AuditProblem
}{
	{"nothing", func(*testing.T, string) {}, nil},
	{
		"a word changed", func(t *testing.T, dir string) {
			editLines(t, dir, 4, func(l [][]byte) [][]byte { l[1] = bytes.Replace(l[1], []byte("allow"), []byte("deny"), 1); return l })
		},
		[]AuditProblem{{Seq: 5, Segment: segmentName(4), Line: 2, What: "record 5 was changed: its chain value does not match"}},
	},
	{
		"a key in another case, which JSON reads all the same", func(t *testing.T, dir string) {
			editLines(t, dir, 4, func(l [][]byte) [][]byte { l[0] = bytes.Replace(l[0], []byte(`"tool"`), []byte(`"Tool"`), 1); return l })
		},
		[]AuditProblem{{Seq: 4, Segment: segmentName(4), Line: 1, What: "the line of record 4 is not as it was written"}},
	},
	{
		"a line removed", func(t *testing.T, dir string) {
			editLines(t, dir, 4, func(l [][]byte) [][]byte { return append(l[:1:1], l[2:]...) })
		},
		[]AuditProblem{{Seq: 5, Segment: segmentName(4), Line: 2, What: "record 5 is missing"}},
	},
	{
		"two lines swapped", func(t *testing.T, dir string) {
			editLines(t, dir, 4, func(l [][]byte) [][]byte { l[0], l[1] = l[1], l[0]; return l })
		},
		[]AuditProblem{
			{Seq: 4, Segment: segmentName(4), Line: 1, What: "record 4 is missing"},
			{Seq: 4, Segment: segmentName(4), Line: 2, What: "record 4 stands after record 5"},
		},
	},
	{
		"a line twice", func(t *testing.T, dir string) {
			editLines(t, dir, 4, func(l [][]byte) [][]byte { return append(l[:1:1], l...) })
		},
		[]AuditProblem{{Seq: 4, Segment: segmentName(4), Line: 2, What: "record 4 stands after record 4"}},
	},
	{
		"a segment missing", func(t *testing.T, dir string) { remove(t, segmentPath(dir, 4)) },
		[]AuditProblem{{Seq: 4, Segment: segmentName(7), What: "records 4 to 6 are missing"}},
	},
	{
		"the last segment missing", func(t *testing.T, dir string) { remove(t, segmentPath(dir, 28)) },
		[]AuditProblem{{Seq: 28, What: "records 28 to 30 are missing"}},
	},
	{
		"the tail cut", func(t *testing.T, dir string) {
			editLines(t, dir, 28, func(l [][]byte) [][]byte { return l[:1] })
		},
		[]AuditProblem{{Seq: 29, What: "records 29 to 30 are missing"}},
	},
	{
		"the tail cut within a line", func(t *testing.T, dir string) {
			editLines(t, dir, 28, func(l [][]byte) [][]byte { l[2] = l[2][:len(l[2])-1]; return l })
		},
		[]AuditProblem{{Seq: 30, Segment: segmentName(28), Line: 3, What: "record 30 is cut: 273 bytes of it are left"}},
	},
	{
		"the chain computed anew with the key", func(t *testing.T, dir string) {
			rechain(t, dir, 20, func(r *audit.Line) { r.Verdict = "deny" })
		},
		[]AuditProblem{{Seq: 30, What: "record 30 is not the one that the store vouches for: the chain was computed anew"}},
	},
	{
		"the head removed", func(t *testing.T, dir string) {
			inStore(t, dir, func(b *bbolt.Bucket) error { return b.Delete(keyHead) })
		},
		[]AuditProblem{
			{What: "the head of the audit was missing from the store (found 2026-11-30 08:00:00Z)"},
			{Seq: 30, What: "the store stood at record 0 and the segments went on to 30: an older copy of the store was put in place (found 2026-11-30 08:00:00Z)"},
		},
	},
	{
		"an older head put back", func(t *testing.T, dir string) {
			inStore(t, dir, func(b *bbolt.Bucket) error {
				raw, err := sealJSON(keyHead, headAt(t, dir, 25))
				return errors.Join(err, b.Put(keyHead, raw))
			})
		},
		[]AuditProblem{{Seq: 30, What: "the store stood at record 25 and the segments went on to 30: an older copy of the store was put in place (found 2026-11-30 08:00:00Z)"}},
	},
	{
		"the store removed", func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, dbName))
			remove(t, filepath.Join(dir, snapshotName))
		},
		[]AuditProblem{{Seq: 30, What: "the store stood at record 0 and the segments went on to 30: an older copy of the store was put in place (found 2026-11-30 08:00:00Z)"}},
	},
	{
		"foreign records appended", func(t *testing.T, dir string) {
			editLines(t, dir, 28, func(l [][]byte) [][]byte { return append(l, l[2], l[2]) })
		},
		[]AuditProblem{{Seq: 30, What: "548 bytes after record 30 did not continue the chain and are kept as audit/000000000028.jsonl.aside-20261130T080000.000000000Z (found 2026-11-30 08:00:00Z)"}},
	},
}

// TestRecordOfAnotherBranchIsForeign appends a record that was made with the true
// key and continues another record than the newest.
func TestRecordOfAnotherBranchIsForeign(t *testing.T) {
	dir := audited(t, 2)
	key, err := stateDir{dir: dir}.loadKey()
	if err != nil {
		t.Fatal(err)
	}
	r := audit.Line{Seq: 3, Time: t0, Kind: "act", Prev: "elsewhere"}
	r.Chain = audit.ChainValue(key, r.Prev, r)
	editLines(t, dir, 1, func(l [][]byte) [][]byte { return append(l, mustJSON(t, r), []byte{'\n'}) })
	s := openBroken(t, dir)
	diff(t, "notices", codes(s), []string{"audit_foreign", "audit_incident"})
	rep, err := s.Audit.Verify()
	diff(t, "report", []any{rep.Records, rep.Count, err}, []any{uint64(2), 1, nil})
}

func TestAuditVerifyFinds(t *testing.T) {
	for _, c := range tampering {
		t.Run(c.name, func(t *testing.T) {
			dir := audited(t, 30)
			c.do(t, dir)
			s := openBroken(t, dir)
			rep, err := s.Audit.Verify()
			if err != nil {
				t.Fatal(err)
			}
			if c.want == nil {
				c.want = []AuditProblem{}
			}
			diff(t, "problems", rep.Problems, c.want)
			diff(t, "count", rep.Count, len(c.want))
			// It is found again after more records and a restart: nothing that a
			// start does may heal it.
			mustRecord(t, s, 5)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = openBroken(t, dir)
			rep, err = s.Audit.Verify()
			if err != nil {
				t.Fatal(err)
			}
			if rep.Count < len(c.want) || len(c.want) == 0 && rep.Count > 0 {
				t.Errorf("after five more records: %+v", rep.Problems)
			}
		})
	}
}

// headAt computes the head as it was after record seq.
func headAt(t *testing.T, dir string, seq uint64) head {
	t.Helper()
	s := segments{stateDir: stateDir{dir: dir}}
	key, err := s.loadKey()
	if err != nil {
		t.Fatal(err)
	}
	h := head{}
	segs, err := s.list()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range segs {
		size := int64(0)
		err := s.eachLine(g, func(_ int, line []byte, _ bool) {
			size += int64(len(line)) + 1
			r, problem := parseLine(line)
			if problem != "" {
				t.Fatal(problem)
			}
			if r.Seq <= seq {
				h = head{Seq: r.Seq, Count: r.Seq, Chain: r.Chain, Segment: g.name, Size: size, Key: keyPrint(key)}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return h
}
