package integration

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"hardshell/test/ollama"
	"hardshell/test/scripted"
)

// lab is the server of this package and what it needs.
type lab struct {
	*ollama.Server
	files ollama.Files
	dir   string // the server's own, kept when a test fails
}

// bench is the one lab of a test run.
var bench struct {
	once sync.Once
	lab  *lab
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if l := bench.lab; l != nil {
		l.Stop()
		if code != 0 {
			fmt.Fprintln(os.Stderr, "the model server's log:", l.Log)
		} else {
			os.RemoveAll(l.dir)
		}
	}
	os.Exit(code)
}

// theLab gives the server, started at the first call.
func theLab(t *testing.T) *lab {
	t.Helper()
	bench.once.Do(func() { bench.lab, bench.err = newLab(context.Background()) })
	if bench.err == nil {
		return bench.lab
	}
	if os.Getenv("CI") != "" || os.Getenv("HARDSHELL_REQUIRE_OLLAMA") != "" {
		t.Fatalf("a model server is required here: %v", bench.err)
	}
	t.Skip(noServer)
	return nil
}

// noServer is the one reason to skip; test/skips.txt has it word for word.
const noServer = "no model server can be had on this machine"

// newLab brings the files, starts the server and makes the scripted model.
func newLab(ctx context.Context) (*lab, error) {
	files, err := ollama.Setup(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	// A folder for each run: what one leaves behind never meets the next.
	dir, err := os.MkdirTemp("", "hardshell-ollama-")
	if err != nil {
		return nil, err
	}
	s, err := ollama.Start(ctx, ollama.Options{Program: files.Program, Dir: dir})
	if err != nil {
		return nil, err
	}
	if err := s.CreateScripted(ctx, dir, scripted.Lab()); err != nil {
		s.Stop()
		return nil, err
	}
	return &lab{Server: s, files: files, dir: dir}, nil
}

// step bounds one request: a scripted answer takes a fraction of a second.
const step = time.Minute

// within gives a context for one step of a test.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), step)
	t.Cleanup(cancel)
	return ctx
}

// added gives what the server logged of its slots since before.
func (l *lab) added(t *testing.T, before int) []ollama.Slot {
	t.Helper()
	slots, err := l.Slots()
	if err != nil {
		t.Fatal(err)
	}
	if len(slots) < before {
		t.Fatalf("the server's log lost lines: %d slots, %d before", len(slots), before)
	}
	return slots[before:]
}

// count is how many slots the server logged so far.
func (l *lab) count(t *testing.T) int { return len(l.added(t, 0)) }

// share is how much of the previous prompt a request reused, in percent.
func share(previous, now ollama.Slot) string {
	return fmt.Sprintf("%d of %d tokens, %.1f %%", now.Used, previous.Prompt, 100*float64(now.Used)/float64(previous.Prompt))
}
