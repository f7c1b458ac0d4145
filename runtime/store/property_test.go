package store

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// memory is the store as a child would write one: plain maps.
type memory struct {
	entries map[string][]string
	values  map[string]string
	records int
	saved   *memory // as of the last snapshot
}

func (m *memory) copy() *memory {
	c := &memory{entries: map[string][]string{}, values: map[string]string{}, records: m.records}
	for k, v := range m.entries {
		c.entries[k] = slices.Clone(v)
	}
	for k, v := range m.values {
		c.values[k] = v
	}
	return c
}

// TestStoreIsAMap runs random operations, restarts and damage, and compares with
// the oracle after each.
func TestStoreIsAMap(t *testing.T) {
	fewerRuns(t)
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "store")
		check(t, err)
		defer func() { check(t, os.RemoveAll(dir)) }()
		opts := Options{NoSync: true, SegmentBytes: 600}
		s, err := Open(dir, opts)
		check(t, err)
		defer func() { check(t, s.Close()) }()
		m := (&memory{}).copy()
		id := rapid.SampledFrom([]string{"main", "cron:j1", "sub:1"})
		key := rapid.SampledFrom([]string{"a", "b", "c"})
		n := 0
		text := func() string { n++; return fmt.Sprint("text ", n) }
		save := func() { m.saved = m.copy() }
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				id := id.Draw(t, "session")
				var batch []Entry
				for range rapid.IntRange(1, 4).Draw(t, "entries") {
					m.entries[id] = append(m.entries[id], text())
					batch = append(batch, message(fmt.Sprint("text ", n)))
				}
				check(t, add(s, id, batch...))
			},
			"twin": func(t *rapid.T) {
				id := id.Draw(t, "session")
				at := uint64(len(m.entries[id]))
				if _, err := s.Sessions.AppendAt(id, at+1, message("x")); err == nil {
					t.Fatal("a twin wrote")
				}
				_, err := s.Sessions.AppendAt(id, at, message(text()))
				check(t, err)
				m.entries[id] = append(m.entries[id], fmt.Sprint("text ", n))
			},
			"put": func(t *rapid.T) {
				key := key.Draw(t, "key")
				m.values[key] = text()
				check(t, s.Values.Put("jobs", key, 1, m.values[key]))
			},
			"delete": func(t *rapid.T) {
				key := key.Draw(t, "key")
				delete(m.values, key)
				check(t, s.Values.Delete("jobs", key))
			},
			"record": func(t *rapid.T) {
				check(t, s.Audit.Record(t.Context(), recordOf(text())))
				m.records++
			},
			"snapshot": func(t *rapid.T) {
				check(t, s.db.snapshot())
				save()
			},
			"restart": func(t *rapid.T) {
				check(t, s.Close())
				save() // a clean end takes one
				s, err = Open(dir, opts)
				check(t, err)
			},
			"kill": func(t *rapid.T) {
				check(t, abandon(s))
				s, err = Open(dir, opts)
				check(t, err)
			},
			"damage": func(t *rapid.T) {
				check(t, abandon(s))
				check(t, os.WriteFile(s.db.path(dbName), []byte("junk"), 0o600))
				s, err = Open(dir, opts)
				check(t, err)
				records, saved := m.records, m.saved
				if saved == nil {
					saved = (&memory{}).copy()
				}
				// The audit has files of its own and one more record.
				m = saved.copy()
				m.records, m.saved = records+1, saved
			},
			"": func(t *rapid.T) { compare(t, s, m) },
		})
	})
}

// fewerRuns keeps this test short beside the others: a run opens and closes real
// files many times. Whoever names -rapid.checks gets that number.
func fewerRuns(t *testing.T) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if checks == nil || checks.Value.String() != checks.DefValue {
		return
	}
	if err := flag.Set(checks.Name, "30"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Set(checks.Name, checks.DefValue); err != nil {
			t.Error(err)
		}
	})
}

// abandon lets go of a store as a kill would: nothing is written at the end.
func abandon(s *Store) error {
	s.db.closed = true
	return s.release()
}

func check(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

func compare(t *rapid.T, s *Store, m *memory) {
	t.Helper()
	entries, values := map[string][]string{}, map[string]string{}
	sessions, err := s.Sessions.List()
	check(t, err)
	for _, info := range sessions {
		all, err := s.Sessions.EntriesFrom(info.ID, 0, 0)
		check(t, err)
		for i, e := range all {
			var text struct{ Text string }
			check(t, json.Unmarshal(e.Data, &text))
			if e.Seq != uint64(i+1) || info.Last != uint64(len(all)) {
				t.Fatalf("entry %d of %d has number %d, last is %d", i+1, len(all), e.Seq, info.Last)
			}
			entries[info.ID] = append(entries[info.ID], text.Text)
		}
	}
	list, err := s.Values.List("jobs")
	check(t, err)
	for _, v := range list {
		values[v.Key] = strings.Trim(string(v.Data), `"`)
	}
	rep, err := s.Audit.Verify()
	check(t, err)
	const all = "entries %v values %v records %d problems %v"
	got := fmt.Sprintf(all, entries, values, rep.Records, rep.Problems)
	want := fmt.Sprintf(all, m.entries, m.values, m.records, []AuditProblem{})
	if got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}
