package integration

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"hardshell/test/ollama"
)

// setup runs test/ollama/setup and reads what it printed.
func setup(t *testing.T, command string, env ...string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(within(t), filepath.Join(root, "test", "ollama", "setup"), command)
	cmd.Env = append(append(os.Environ(), "HARDSHELL_PULL=no"), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("setup %s: %v\n%s", command, err, errs.String())
	}
	return ollama.Values(out.String())
}

// models lists what the server has.
func (l *lab) models(t *testing.T) []string {
	t.Helper()
	list, err := l.Client().List(within(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, m.Name+" "+m.Digest)
	}
	slices.Sort(names)
	return names
}

// A server that is there and has a model which can call tools is used as it is:
// nothing is started, made or changed.
func TestSetupUsesAServerThatIsThere(t *testing.T) {
	l := theLab(t)
	if err := l.Client().Copy(within(t), &api.CopyRequest{Source: ollama.Scripted, Destination: "bench-model"}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Client().Delete(within(t), &api.DeleteRequest{Model: "bench-model"}); err != nil {
			t.Error(err)
		}
	}()
	before := l.models(t)
	got := setup(t, "serve", "OLLAMA_HOST="+l.Host)
	// Other tests may have left models of their own; any that is not ours will do.
	if name := got["LAB_MODEL"]; strings.HasPrefix(name, "hardshell-") || !strings.Contains(strings.Join(before, "\n"), name+" ") {
		t.Errorf("LAB_MODEL is %q, want one of %q", name, before)
	}
	want := map[string]string{"OLLAMA_HOST": l.Host, "LAB_SERVER": "running", "LAB_KIND": "real", "LAB_MODEL": got["LAB_MODEL"]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("setup serve (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, l.models(t)); diff != "" {
		t.Errorf("the server's models (-before +after):\n%s", diff)
	}
}

// Without such a server one is started; a second run takes it; stop ends it.
func TestSetupStartsAndStopsItsOwn(t *testing.T) {
	l := theLab(t)
	// A cache of its own that borrows what is built, so that a demo that runs at
	// the same time keeps its server.
	cache, built := t.TempDir(), filepath.Dir(l.files.Small)
	entries, err := os.ReadDir(built)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if slices.Contains([]string{"serve", "test", "lock", "lab"}, e.Name()) {
			continue
		}
		if err := os.Symlink(filepath.Join(built, e.Name()), filepath.Join(cache, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"OLLAMA_HOST=127.0.0.1:1", "HARDSHELL_CACHE=" + cache} // nobody listens there
	first := setup(t, "serve", env...)
	defer setup(t, "stop", env...)
	for key, want := range map[string]string{"LAB_SERVER": l.files.Origin, "LAB_KIND": "scripted", "LAB_MODEL": ollama.Scripted, "LAB_SMALL": ollama.Small} {
		if first[key] != want {
			t.Errorf("%s is %q, want %q", key, first[key], want)
		}
	}
	s := ollama.Server{Host: first["OLLAMA_HOST"]}
	if err := s.Client().Heartbeat(within(t)); err != nil {
		t.Errorf("the server does not answer: %v", err)
	}
	if diff := cmp.Diff(first, setup(t, "serve", env...)); diff != "" {
		t.Errorf("a second run (-first +second):\n%s", diff)
	}
	setup(t, "stop", env...)
	if err := s.Client().Heartbeat(within(t)); err == nil {
		t.Error("the server still answers after stop")
	}
}
