package main

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// spoil breaks the first entry of a conversation, as a failing disk does.
func (p *person) spoil(session string) {
	p.t.Helper()
	db, err := bbolt.Open(filepath.Join(p.state, "hardshell.db"), 0o600, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		b, key := tx.Bucket([]byte("entries")).Bucket([]byte(session)), binary.BigEndian.AppendUint64(nil, 1)
		v := append([]byte(nil), b.Get(key)...)
		v[len(v)-1] ^= 1
		return b.Put(key, v)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestItem26_SeenBesideARunningAgent: a record that was set aside is named until a person
// knows of it, which the agent that runs is told as well as one that starts later.
func TestItem26_SeenBesideARunningAgent(t *testing.T) {
	p := busy(t)
	p.run("ask", "hi")
	p.spoil("main")
	daemon := p.daemon("serving")
	p.run("ask", "again")
	const aside = "session main, entry 1"
	if said, _ := p.client("doctor", "--no-model"); !strings.Contains(said, aside) {
		t.Errorf("doctor does not name it: %s", said)
	}
	if out := p.run("doctor", "--seen"); out != "1 record kept aside, named no longer\n" {
		t.Errorf("seen: %s", out)
	}
	for _, when := range []string{"while the agent runs", "after it"} {
		if said, _ := p.client("doctor", "--no-model"); strings.Contains(said, aside) {
			t.Errorf("%s doctor still names it: %s", when, said)
		}
		if out := p.run("status"); strings.Contains(out, aside) {
			t.Errorf("%s status still names it: %s", when, out)
		}
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	}
	if out := p.run("doctor", "--seen"); out != "0 records kept aside, named no longer\n" {
		t.Errorf("seen: %s", out)
	}
}
