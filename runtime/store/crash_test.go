package store

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestKillLosesNothingAcknowledged kills a writing process again and again, at a
// random instant after a random number of steps, and opens what it left: each record
// that it was told to be safe is there, and the chain is whole.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	entries, records := 0, 0
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	for round := range rounds {
		cmd := child(t, "write", dir, 0)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		if !lines.Scan() {
			t.Fatal("the child said nothing")
		}
		// Steps and not time alone say when: a slow disk would leave nothing to look at.
		acked := countAcks(t, lines, random.IntN(40), func() {
			time.AfterFunc(time.Duration(random.IntN(4_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		})
		if err := cmd.Wait(); err == nil {
			t.Fatal("the child ended by itself")
		}

		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		got := len(mustEntries(t, s, "main"))
		rep, err := s.Audit.Verify()
		if err != nil || !rep.OK() {
			t.Fatalf("round %d: %v %+v", round, err, rep.Problems)
		}
		// At most one step was done and not yet acknowledged.
		checkCount(t, "entries", got, entries+acked.entries, 2)
		checkCount(t, "records", int(rep.Records), records+acked.records, 1)
		if acked.value >= 0 {
			checkValue(t, s, acked.value)
		}
		entries, records = got, int(rep.Records)
		checkWhole(t, s)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	if entries < rounds || records < rounds/2 {
		t.Errorf("only %d entries and %d records were written: the test proves little", entries, records)
	}
}

type acks struct{ entries, records, value int }

// countAcks reads what the child says until it is dead. The first line was read
// already; enough is called after so many more.
func countAcks(t *testing.T, lines *bufio.Scanner, more int, enough func()) acks {
	t.Helper()
	a := acks{value: -1}
	for n, ok := 0, true; ok; n, ok = n+1, lines.Scan() {
		if n == more {
			enough()
		}
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "entries":
			a.entries += 2
		case "record":
			a.records++
		case "value":
			if _, err := fmt.Sscan(rest, &a.value); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("the child says: %s", lines.Text())
		}
	}
	return a
}

func checkCount(t *testing.T, what string, got, acked, step int) {
	t.Helper()
	if got != acked && got != acked+step {
		t.Errorf("%d %s are there, %d were acknowledged", got, what, acked)
	}
}

func checkValue(t *testing.T, s *Store, i int) {
	t.Helper()
	v, ok, err := s.Values.Get("jobs", fmt.Sprint("j", i%7))
	if err != nil || !ok || string(v.Data) != fmt.Sprint(i) {
		t.Errorf("value %d: %s %v %v", i, v.Data, ok, err)
	}
}
