package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// old stands for a kernel that has no namespaces for this user.
func old(l *Launcher) {
	real := l.start
	l.start = func(ctx context.Context, j job, s Spec, h hold) (outcome, error) {
		if j.Namespaces {
			return outcome{}, &missingLayer{Why: "namespaces: operation not permitted"}
		}
		return real(ctx, j, s, h)
	}
}

func TestCase133_MissingLayerRefuses(t *testing.T) {
	l := newLab(t)
	old(l.Launcher)
	_, err := l.Run(t.Context(), Spec{Path: real(t, "/bin/true"), Argv: []string{"true"}})
	var missing *missingLayer
	diff(t, "kind of error", errors.As(err, &missing), true)
	diff(t, "text", err.Error(), "the sandbox lacks a layer that it must have (namespaces: operation not permitted); let the agent make user namespaces (deploy/jetson/README.md), or the operator sets sandbox.weaker_ok")
	r, err := l.Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "probe", []any{r.Complete(), r.Weaker, r.String()}, []any{false, false, "commands can't run: namespaces: operation not permitted"})
	diff(t, "confined", l.confined(t.Context()), false)
}

func TestCase133_WeakerIsSaidInEveryResult(t *testing.T) {
	if landlockABI() == 0 {
		return // no weaker sandbox either: TestNothingRunsWithoutAnyFence
	}
	l := newLab(t, func(c *Config) { c.WeakerOK = true })
	old(l.Launcher)
	const want = "no namespaces (namespaces: operation not permitted): commands see other processes and the network"
	for range 2 {
		out, x := l.sh(t, "echo hello; cat /etc/shadow 2>&1")
		diff(t, "weaker", x.Weaker, want)
		if !strings.HasPrefix(out, "hello\n") || !strings.Contains(out, "Permission denied") {
			t.Errorf("output %q", out)
		}
		layers := strings.Join(x.Layers, " ")
		if !strings.Contains(layers, "no-privs landlock-") || strings.Contains(layers, layerMount) {
			t.Errorf("layers %s", layers)
		}
	}
	diff(t, "confined", l.confined(t.Context()), false)
}

func TestWeakerEndsTheTreeAsWell(t *testing.T) {
	if landlockABI() == 0 {
		return // no weaker sandbox either: TestNothingRunsWithoutAnyFence
	}
	l := newLab(t, func(c *Config) { c.WeakerOK = true })
	old(l.Launcher)
	l.endWhenUp(t, `setsid sleep 911 & setsid sh -c 'trap "" TERM; echo up; sleep 912' & sleep 913`)
	diff(t, "left alive", alive(t, "sleep\x00911", "sleep\x00912", "sleep\x00913"), []string(nil))
}

func TestWeakerRefusesWhereTheStateCantBeHidden(t *testing.T) {
	l := newLab(t, func(c *Config) {
		c.WeakerOK = true
		c.Hidden = []string{filepath.Join(c.Workspace, "state")}
	})
	old(l.Launcher)
	mkdir(t, filepath.Join(l.dir, "state"))
	_, err := l.Run(t.Context(), Spec{Path: real(t, "/bin/true"), Argv: []string{"true"}})
	if err == nil || !strings.Contains(err.Error(), "it can't run weaker either, since "+filepath.Join(l.dir, "state")) {
		t.Errorf("got %v", err)
	}
}

func TestNothingRunsWithoutAnyFence(t *testing.T) {
	l := newLab(t, func(c *Config) { c.WeakerOK = true })
	l.noLandlock = true
	old(l.Launcher)
	_, err := l.Run(t.Context(), Spec{Path: real(t, "/bin/true"), Argv: []string{"true"}})
	if err == nil || !strings.Contains(err.Error(), "neither the namespaces nor Landlock") {
		t.Errorf("got %v", err)
	}
}

func TestProbeTellsWhatHolds(t *testing.T) {
	l := newLab(t)
	r, err := l.Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, x := l.sh(t, "true", func(s *Spec) { s.Judge = onlyPrograms() })
	diff(t, "layers", r.Layers, x.Layers)
	diff(t, "complete", r.Complete(), true)
	diff(t, "confined", l.confined(t.Context()), true)
}

func TestNewRefusesAWorkspaceThatCantBeKeptApart(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(dir), link); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		cfg  Config
		want string
	}{
		"root":           {Config{Workspace: "/"}, "which commands must not write"},
		"system":         {Config{Workspace: "/usr"}, "which commands must not write"},
		"parent of etc":  {Config{Workspace: "/etc"}, "which commands must not write"},
		"missing":        {Config{Workspace: filepath.Join(dir, "gone")}, "make the folder"},
		"in the state":   {Config{Workspace: dir, Hidden: []string{filepath.Dir(dir)}}, "keep them apart"},
		"by a link":      {Config{Workspace: dir, Hidden: []string{link}}, "keep them apart"},
		"state the same": {Config{Workspace: dir, Hidden: []string{dir}}, "keep them apart"},
	} {
		if _, err := New(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := makePoint(path, true); err != nil {
		t.Fatal(err)
	}
}

// TestNoCommandBringsTheWeakerSandboxAbout: where the full one has worked, a command for
// which it can't be built is refused.
func TestNoCommandBringsTheWeakerSandboxAbout(t *testing.T) {
	l := newLab(t, func(c *Config) { c.WeakerOK = true })
	l.sh(t, "true")
	_, err := l.Run(t.Context(), Spec{Path: real(t, "/bin/true"), Argv: []string{"true"}, Devices: []string{"/dev/gone"}})
	var missing *missingLayer
	diff(t, "refused", errors.As(err, &missing), true)
	_, x := l.sh(t, "true")
	diff(t, "weaker", x.Weaker, "")
}

// confined reports whether every mandatory layer is known to hold commands here; the
// first question probes.
func (l *Launcher) confined(ctx context.Context) bool {
	l.mu.Lock()
	sure, weaker := l.sure, l.weaker
	l.mu.Unlock()
	if sure || weaker != "" {
		return weaker == ""
	}
	r, err := l.Probe(ctx)
	return err == nil && r.Complete()
}
