package store

import (
	"fmt"
	"strings"
	"testing"
)

func benchStore(b *testing.B, opts Options) *Store {
	b.Helper()
	s, err := Open(b.TempDir(), opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

// BenchmarkAppend is one acknowledged message of 1 KB, synced.
func BenchmarkAppend(b *testing.B) {
	s := benchStore(b, Options{})
	e := message(strings.Repeat("x", 1000))
	for b.Loop() {
		if err := add(s, "main", e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRecord is one acknowledged audit record, synced: a segment and a head.
func BenchmarkRecord(b *testing.B) {
	s := benchStore(b, Options{})
	r := recordOf("aplay -D hw:1 test.wav")
	for b.Loop() {
		if err := s.Audit.Record(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRecordUnsynced leaves out the disk: what the store itself costs.
func BenchmarkRecordUnsynced(b *testing.B) {
	s := benchStore(b, Options{NoSync: true})
	r := recordOf("aplay -D hw:1 test.wav")
	for b.Loop() {
		if err := s.Audit.Record(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens and closes a store with so many entries of 1 KB.
func BenchmarkOpen(b *testing.B) {
	for name, n := range map[string]int{"empty": 0, "10MB": 10_000, "100MB": 100_000} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			fill(b, dir, n)
			for b.Loop() {
				s, err := Open(dir, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func fill(b *testing.B, dir string, n int) {
	b.Helper()
	s, err := Open(dir, Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	batch := make([]Entry, 100)
	for i := range batch {
		batch[i] = message(strings.Repeat("x", 1000))
	}
	for range n / len(batch) {
		if err := add(s, "main", batch...); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.db.snapshot(); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkVerify proves 1,000 records.
func BenchmarkVerify(b *testing.B) {
	s := benchStore(b, Options{NoSync: true})
	for range 1000 {
		if err := s.Audit.Record(b.Context(), recordOf("aplay -D hw:1 test.wav")); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if rep, err := s.Audit.Verify(); err != nil || !rep.OK() {
			b.Fatal(rep, err)
		}
	}
}

// BenchmarkAudit is a start, a record and a look at the newest 20 on top of so many
// records. The bytes that they move are held by TestNothingGrowsWithTheAudit.
func BenchmarkAudit(b *testing.B) {
	for _, n := range []int{0, 1000, 100_000} {
		dir, opts := recorded(b, n)
		b.Run(fmt.Sprintf("open/%d", n), func(b *testing.B) {
			for b.Loop() {
				s, err := Open(dir, opts)
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
		s, err := Open(dir, opts)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("record/%d", n), func(b *testing.B) {
			r := recordOf("aplay -D hw:1 test.wav")
			for b.Loop() {
				if err := s.Audit.Record(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("tail/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Audit.Tail(20); err != nil {
					b.Fatal(err)
				}
			}
		})
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
