package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

// Root talks to the agent of another user and never takes its place.
func TestRootDoesNotHoldAnothersState(t *testing.T) {
	if os.Geteuid() != 0 {
		if o := OtherOwnerOf("/"); o != nil {
			t.Errorf("an ordinary user is told %v of a folder that a mode can open", o)
		}
		return
	}
	dir := filepath.Join(t.TempDir(), "state")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, 4242, 4243)); err != nil {
		t.Fatal(err)
	}
	_, err := start(t.Context(), config.Config{State: dir}, Environment{Getenv: os.Getenv}, 0)
	var o *OtherOwner
	if !errors.As(err, &o) {
		t.Fatalf("hold says %v", err)
	}
	if d := cmp.Diff(OtherOwner{state: dir, owner: "4242", group: "4243"}, *o, cmp.AllowUnexported(OtherOwner{})); d != "" {
		t.Error(d)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("the folder holds %v (%v)", left, err)
	}
	if OtherOwnerOf(t.TempDir()) != nil || OtherOwnerOf(filepath.Join(dir, "missing")) != nil {
		t.Error("its own folder, or one that is not there, is another user's")
	}
	want := &event.Problem{
		Code: "store_others", Hint: "run it as 4242, or name another folder with --state",
		Message: "the state folder " + dir + " belongs to 4242, and only that user's agent may hold it; nobody answers at /s",
	}
	if d := cmp.Diff(error(want), o.Unreached("/s")); d != "" {
		t.Error(d)
	}
	o.machine = true
	if d := cmp.Diff("the agent of this machine does not run: nobody answers at /s", o.Unreached("/s").Error()); d != "" {
		t.Error(d)
	}
}

// start prepares the agents and starts them in this process. The error is store.Busy
// when another process holds the store and did not let go within wait.
func start(ctx context.Context, cfg config.Config, o Environment, wait time.Duration) (*App, error) {
	p, err := Prepare(cfg, o)
	if err != nil {
		return nil, err
	}
	return p.Start(ctx, wait)
}
