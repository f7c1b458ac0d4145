package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"hardshell/policy/audit"
	"hardshell/runtime/store"
)

// stateDir is a state folder for an example.
func stateDir() (dir string, done func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }
}

func ok(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A session is a row of entries: what Append acknowledged is there after a
// restart.
func ExampleSessions_AppendAt() {
	dir, done := stateDir()
	defer done()
	s, err := store.Open(dir, store.Options{})
	ok(err)
	_, err = s.Sessions.AppendAt("main", 0, store.Entry{Kind: store.KindMessage, Turn: "t1", Data: json.RawMessage(`{"text":"hello"}`)})
	ok(err)
	ok(s.Close())

	s, err = store.Open(dir, store.Options{})
	ok(err)
	entries, err := s.Sessions.EntriesFrom("main", 0, 0)
	ok(err)
	for _, e := range entries {
		fmt.Println(e.Seq, e.Kind, e.Turn, string(e.Data))
	}
	ok(s.Close())
	// Output: 1 message t1 {"text":"hello"}
}

// Every decision is on record, and the record can be proven.
func ExampleTrail_Verify() {
	dir, done := stateDir()
	defer done()
	s, err := store.Open(dir, store.Options{})
	ok(err)
	ok(s.Audit.Record(context.Background(), audit.Line{Kind: "decision", Tool: "exec", Subject: "reboot", Verdict: "deny", Rule: "builtin.power"}))
	ok(s.Audit.Record(context.Background(), audit.Line{Kind: "act", Tool: "exec", Subject: "uptime", Outcome: "ok"}))
	rep, err := s.Audit.Verify()
	ok(err)
	tail, err := s.Audit.Tail(1)
	ok(err)
	fmt.Println(rep.Records, "records,", rep.Count, "problems; the last act:", tail[0].Subject)
	ok(s.Close())
	// Output: 2 records, 0 problems; the last act: uptime
}

// Small values carry the format that their owner gave them.
func ExampleValues_Put() {
	dir, done := stateDir()
	defer done()
	s, err := store.Open(dir, store.Options{})
	ok(err)
	ok(s.Values.Put("grants", "g1", 2, map[string]string{"argv": "uptime"}))
	v, found, err := s.Values.Get("grants", "g1")
	ok(err)
	fmt.Println(found, v.Version, string(v.Data))
	ok(s.Close())
	// Output: true 2 {"argv":"uptime"}
}

// A second process is told who holds the folder.
func ExampleOpen_busy() {
	dir, done := stateDir()
	defer done()
	s, err := store.Open(dir, store.Options{})
	ok(err)
	_, err = store.Open(dir, store.Options{LockWait: time.Millisecond})
	var busy *store.Error
	fmt.Println(errors.As(err, &busy) && busy.Kind == store.Busy && busy.PID == os.Getpid())
	ok(s.Close())
	// Output: true
}
