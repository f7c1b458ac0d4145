package store

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// flip changes one bit of a stored record behind the store's back.
func flip(t *testing.T, s *Store, key []byte, path ...[]byte) {
	t.Helper()
	err := s.db.update("test", func(tx *bbolt.Tx) error {
		b := tx.Bucket(path[0])
		for _, name := range path[1:] {
			b = b.Bucket(name)
		}
		v := append([]byte(nil), b.Get(key)...)
		v[len(v)-1] ^= 1
		return b.Put(key, v)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func mustPut(t *testing.T, s *Store, namespace, key string, v any) {
	t.Helper()
	if err := s.Values.Put(namespace, key, 1, v); err != nil {
		t.Fatal(err)
	}
}

// TestCase172_BadJobRecordIsKeptAside spoils one job, lists them, adds another.
func TestCase172_BadJobRecordIsKeptAside(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	for _, id := range []string{"j1", "j2", "j3"} {
		mustPut(t, s, "jobs", id, map[string]string{"remind": id})
	}
	flip(t, s, []byte("j2"), bucketValues, []byte("jobs"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	for range 2 { // the second look tells nothing new
		got, err := s.Values.List("jobs")
		if err != nil {
			t.Fatal(err)
		}
		diff(t, "jobs", got, []Value{
			{Key: "j1", Version: 1, Data: json.RawMessage(`{"remind":"j1"}`)},
			{Key: "j3", Version: 1, Data: json.RawMessage(`{"remind":"j3"}`)},
		})
		diff(t, "notices", codes(s), []string{"store_record_aside"})
	}
	mustPut(t, s, "jobs", "j4", 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	got, err := s.Values.List("jobs")
	if err != nil || len(got) != 3 || got[2].Key != "j4" {
		t.Errorf("%v %v", got, err)
	}
	aside, err := s.db.keptAside()
	if err != nil || len(aside) != 1 {
		t.Fatal(aside, err)
	}
	if a := aside[0]; a.Where != "jobs/j2" || !strings.Contains(a.Why, "checksum") || !strings.Contains(string(a.Bytes), "remind") || !a.Time.Equal(t0) {
		t.Errorf("%+v", a)
	}
}

// TestBadEntryIsKeptAside spoils an entry in the middle of a session.
func TestBadEntryIsKeptAside(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	mustAppend(t, s, "main", message("1"), message("2"), message("3"))
	flip(t, s, seqKey(2), bucketEntries, []byte("main"))
	var seqs []uint64
	for _, e := range mustEntries(t, s, "main") {
		seqs = append(seqs, e.Seq)
	}
	diff(t, "entries", seqs, []uint64{1, 3})
	diff(t, "notices", codes(s), []string{"store_record_aside"})
	// The place of a lost entry is not given to another.
	if last, err := s.Sessions.AppendAt("main", 3, message("4")); err != nil || last != 4 {
		t.Error(last, err)
	}
	// A bad record in the index costs nothing: it is made anew.
	flip(t, s, []byte("main"), bucketSessions)
	info, ok, err := s.Sessions.Session("main")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	diff(t, "session", info, SessionInfo{ID: "main", Created: t0, Updated: t0, Last: 4})
}

func TestValues(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	if _, ok, err := s.Values.Get("grants", "g1"); ok || err != nil {
		t.Error("a value that was never put", ok, err)
	}
	if got, err := s.Values.List("grants"); err != nil || len(got) != 0 || got == nil {
		t.Error(got, err)
	}
	if err := errors.Join(s.Values.Delete("grants", "g1"), s.Values.Put("grants", "g1", 3, "a<b")); err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "facts", "g1", 2)
	got, ok, err := s.Values.Get("grants", "g1")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	diff(t, "value", got, Value{Key: "g1", Version: 3, Data: json.RawMessage(`"a\u003cb"`)})
	flip(t, s, []byte("g1"), bucketValues, []byte("grants"))
	if _, ok, err := s.Values.Get("grants", "g1"); ok || err != nil {
		t.Error("a spoiled value was given", ok, err)
	}
	if err := s.Values.Delete("facts", "g1"); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := s.Values.Get("facts", "g1"); ok {
		t.Error("a deleted value is there")
	}
	for name, err := range map[string]error{
		"no namespace": s.Values.Put("", "k", 1, 1), "no key": s.Values.Put("n", "", 1, 1), "no JSON": s.Values.Put("n", "k", 1, make(chan int)),
	} {
		if err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestSessionInfo(t *testing.T) {
	c := &clock{t0}
	s := open(t, t.TempDir(), Options{Now: c.Now})
	if _, ok, err := s.Sessions.Session("main"); ok || err != nil {
		t.Error(ok, err)
	}
	mustAppend(t, s, "main", message("1"))
	c.now = t0.Add(time.Minute)
	mustAppend(t, s, "main", Entry{Kind: KindReset, Data: []byte(`{}`)}, message("2"))
	info, ok, err := s.Sessions.Session("main")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	want := SessionInfo{ID: "main", Created: t0, Updated: t0.Add(time.Minute), Last: 3, Boundary: 2}
	diff(t, "session", info, want)
	// The index is only a copy of what the entries say.
	if err := s.db.update("test", func(tx *bbolt.Tx) error { return tx.Bucket(bucketSessions).Delete([]byte("main")) }); err != nil {
		t.Fatal(err)
	}
	if info, _, err = s.Sessions.Session("main"); err != nil {
		t.Fatal(err)
	}
	diff(t, "session from its entries", info, want)
	var got *Error
	if _, err := s.Sessions.AppendAt("main", 2, message("x")); !errors.As(err, &got) || !errors.Is(err, Conflict) {
		t.Fatal(err)
	}
	diff(t, "conflict", got, conflict("main", 2, 3))
	from, err := s.Sessions.EntriesFrom("main", 2, 1)
	if err != nil || len(from) != 1 || from[0].Seq != 2 {
		t.Error(from, err)
	}
	if all, err := s.Sessions.EntriesFrom("nobody", 0, 0); err != nil || len(all) != 0 {
		t.Error(all, err)
	}
}
