package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// cantRun is the one reason to skip; test/skips.txt has it word for word.
const cantRun = "the ARM64 rig can't be had on this machine"

// limit ends a machine that hangs. A whole run takes less than half of it on two busy cores.
const limit = 30 * time.Minute

// TestKernels boots the machines side by side. Each test that ran in one of them is
// a subtest, by kernel, role and package.
func TestKernels(t *testing.T) {
	k, err := setup(t.Context(), os.Stderr)
	var n *none
	switch {
	case errors.As(err, &n):
		t.Log(n)
		t.Skip(cantRun)
	case err != nil:
		t.Fatal(err)
	}
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := lay(t.Context(), work, packages()); err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(dir, "work.ext4")
	if err := format(t.Context(), work, image); err != nil {
		t.Fatal(err)
	}
	r := newReport(t, k)
	for _, kernel := range kernels {
		t.Run(kernel.name, func(t *testing.T) {
			t.Parallel()
			m := machine{kit: k, work: image, guest: filepath.Join(work, "guest"), args: kernel.args, plan: kernel.plan()}
			r.boot(t, m, kernel)
		})
	}
}

// report is what is kept of a run in bin/rig: the consoles, and a line for each
// step.
type report struct {
	kit   kit
	dir   string
	mu    sync.Mutex
	lines []string
}

func newReport(t *testing.T, k kit) *report {
	t.Helper()
	r := &report{kit: k, dir: filepath.Join(root(), "bin", "rig")}
	if err := errors.Join(os.RemoveAll(r.dir), os.MkdirAll(r.dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.WriteFile(filepath.Join(r.dir, "report.txt"), []byte(strings.Join(r.lines, "")), 0o644); err != nil {
			t.Error(err)
		}
	})
	return r
}

// say adds a line.
func (r *report) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format+"\n", args...))
}

// boot runs a machine and hands out what came of its steps.
func (r *report) boot(t *testing.T, m machine, kernel kernel) {
	t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c, err := m.boot(ctx, t.TempDir())
	if saved := os.WriteFile(filepath.Join(r.dir, kernel.name+".console"), []byte(c.raw), 0o644); saved != nil {
		t.Error(saved)
	}
	if err != nil {
		t.Errorf("%v; bin/rig/%s.console has all that it said, which ends so:\n%s", err, kernel.name, tail(c.raw, 3000))
	}
	if c.kernel != r.kit.kernel {
		t.Errorf("the kernel says that it is %q, want %q", c.kernel, r.kit.kernel)
	}
	if has := strings.Contains(c.lsm, "landlock"); err == nil && has != kernel.landlock {
		t.Errorf("the security modules are %q, and Landlock is wanted: %v", c.lsm, kernel.landlock)
	}
	for _, s := range c.steps {
		t.Run(s.name, func(t *testing.T) { r.step(t, kernel, s) })
	}
	r.say("%-9s Linux %s (%s), up and down in %s", kernel.name, c.kernel, c.lsm, time.Since(began).Round(time.Second))
}

// step makes a subtest of each test of a step.
func (r *report) step(t *testing.T, kernel kernel, s ended) {
	t.Helper()
	list, err := results(t.Context(), s.text)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, one := range list {
		count[one.action]++
		if one.name == "" {
			continue
		}
		t.Run(one.name, func(t *testing.T) {
			switch one.action {
			case "fail":
				t.Error(one.text)
			case "skip":
				t.Skip(one.reason())
			}
		})
	}
	// Such as a panic, a program that can't start, or one that took too long.
	if s.status != 0 && count["fail"] == 0 || count["pass"] == 0 {
		t.Errorf("exit status %d after %s, %d tests passed:\n%s", s.status, s.took, count["pass"], tail(s.text, 6000))
	}
	r.say("%-9s %-26s %3d passed, %d failed, %d skipped in %s", kernel.name, s.name, count["pass"], count["fail"], count["skip"], s.took.Round(time.Second))
}

// tail is the end of a text, the most bytes of it.
func tail(text string, most int) string { return text[max(0, len(text)-most):] }
