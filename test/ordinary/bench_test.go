package ordinary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/model/modeltest"
)

// step bounds one row, the start and the end of the agent.
const step = 20 * time.Second

// bench is a running agent of the built program, with a workspace of its own, and a
// person beside it.
type bench struct {
	t      *testing.T
	dir    string // the workspace
	client *gateway.Client
}

// binary builds the program as "make build" does.
func binary(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "agent")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, "./cmd/agent")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	return out
}

// newBench starts the agent with the shipped policy and waits until it answers.
func newBench(t *testing.T) *bench {
	t.Helper()
	top := t.TempDir()
	b := &bench{t: t, dir: filepath.Join(top, "work")}
	b.fresh()
	policy, err := filepath.Abs(filepath.Join("..", "..", "deploy", "jetson", "policy.toml"))
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(top, "state")
	var said bytes.Buffer
	cmd := exec.Command(binary(t), "serve")
	cmd.Dir, cmd.Stderr, cmd.Stdout = top, &said, &said
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + top, "TZ=UTC", "OLLAMA_HOST=" + modeltest.New(t).URL, "HARDSHELL_MODEL=" + modeltest.DefaultModel,
		"HARDSHELL_STATE=" + state, "HARDSHELL_WORKSPACE=" + b.dir, "HARDSHELL_POLICY=" + policy, "HARDSHELL_BOARD=sim",
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		if err := <-ended; err != nil || t.Failed() {
			t.Logf("the agent ended: %v\n%s", err, said.String())
		}
	})
	b.client = gateway.NewClient(gateway.Dial(filepath.Join(state, "agent.sock")))
	t.Cleanup(b.client.Close)
	for deadline := time.Now().Add(step); ; {
		if _, err = gateway.Status.Ask(t.Context(), b.client, ""); err == nil {
			return b
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the agent ended: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("the agent does not answer: %v", err)
		}
	}
}

// fresh makes the workspace what it is at the beginning of each row. The folder
// itself stays.
func (b *bench) fresh() {
	b.t.Helper()
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	old, err := filepath.Glob(filepath.Join(b.dir, "*"))
	if err != nil {
		b.t.Fatal(err)
	}
	hidden, err := filepath.Glob(filepath.Join(b.dir, ".[!.]*"))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, path := range append(old, hidden...) {
		if err := os.RemoveAll(path); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := os.CopyFS(b.dir, os.DirFS("testdata/lab")); err != nil {
		b.t.Fatal(err)
	}
}

// outside runs shell text in the workspace, without the agent.
func (b *bench) outside(text string) error {
	if text == "" {
		return nil
	}
	cmd := exec.Command("/bin/sh", "-eu", "-c", text)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=lab", "GIT_AUTHOR_EMAIL=lab@example.com", "GIT_COMMITTER_NAME=lab", "GIT_COMMITTER_EMAIL=lab@example.com", "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", text, err, out)
	}
	return nil
}

// done is what came of a call: its end, and the question if there was one.
type done struct {
	event.Tool
	asked *event.Approval
}

// try has the model make a call in a conversation of its own. A question is answered.
func (b *bench) try(session string, r row, answer string) (done, error) {
	ctx, cancel := context.WithTimeout(b.t.Context(), step)
	defer cancel()
	wanted, err := json.Marshal(map[string]any{"name": r.tool, "args": r.args})
	if err != nil {
		return done{}, err
	}
	var d done
	err = gateway.Turn.Follow(ctx, b.client, runtime.Ask{Session: session, Text: "TOOL:" + string(wanted), Attended: true, New: true}, func() {}, func(e event.Event) bool {
		switch {
		case e.Kind == event.ApprovalAsked:
			d.asked = e.Approval
			if _, err := gateway.Answer.Ask(ctx, b.client, gateway.Word{ID: e.Approval.ID, Answer: answer, By: "test"}); err != nil {
				b.t.Errorf("%s: the answer: %v", r, err)
				cancel()
			}
		case e.Kind == event.ToolEnd:
			d.Tool = *e.Tool
		}
		return e.Kind == event.TurnEnd
	})
	if err != nil {
		return d, err
	}
	if d.Outcome == "" {
		return d, errors.New("no tool ended")
	}
	d.Text = strings.ReplaceAll(d.Text, b.dir, "WORK")
	return d, nil
}
