package session_test

import (
	"fmt"
	"log"
	"os"

	"hardshell/runtime/message"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
)

func ok(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A process dies in the middle of a call. The next one answers the call and goes
// on.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	ok(err)
	defer func() { _ = os.RemoveAll(dir) }()
	st, err := store.Open(dir, store.Options{})
	ok(err)
	s, err := session.Open(st.Sessions, "main")
	ok(err)
	ok(s.Freeze(session.Prefix{System: "You are the lab's agent.", Model: "qwen3:4b", NumCtx: 8192}))
	turn := s.NextTurn()
	ok(s.Append(turn,
		message.Message{Role: message.User, Text: "record ten seconds"},
		message.Message{Role: message.Assistant, Calls: []message.Call{{ID: "c1", Name: "exec", Args: []byte(`{"argv":["arecord"]}`)}}},
	))

	s, err = session.Open(st.Sessions, "main")
	ok(err)
	for _, m := range s.Messages() {
		fmt.Printf("%s %.11q\n", m.Role, m.Text)
	}
	for _, r := range s.Repairs() {
		fmt.Println(r)
	}
	ok(st.Close())
	// Output:
	// user "record ten "
	// assistant ""
	// tool "interrupted"
	// call c1 (exec) had no result: it is sent as interrupted, outcome unknown
	// turn t1 was interrupted
}
