package workspace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/assembly"
)

// lay writes files into a new folder.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, dir string) Folder {
	t.Helper()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFilesInOrder(t *testing.T) {
	dir := lay(t, map[string]string{"MEMORY.md": "m", "agents.md": "a", "HEARTBEAT.md": "h", "notes.md": "not for the prompt"})
	want := []assembly.File{
		{Name: "agents.md", Data: []byte("a")},
		{Name: "SOUL.md", Missing: true},
		{Name: "IDENTITY.md", Missing: true},
		{Name: "USER.md", Missing: true},
		{Name: "TOOLS.md", Missing: true},
		{Name: "MEMORY.md", Data: []byte("m")},
		{Name: "HEARTBEAT.md", Data: []byte("h")},
	}
	if d := cmp.Diff(want, open(t, dir).Files()); d != "" {
		t.Error(d)
	}
}

func TestExactNameWins(t *testing.T) {
	dir := lay(t, map[string]string{"AGENTS.md": "exact", "Agents.md": "other", "agents.md": "third"})
	if got := open(t, dir).Files()[0]; got.Name != "AGENTS.md" || string(got.Data) != "exact" {
		t.Errorf("got %s: %s", got.Name, got.Data)
	}
}

func TestHostileFiles(t *testing.T) {
	dir := lay(t, nil)
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Symlink(outside, filepath.Join(dir, "AGENTS.md")),
		syscall.Mkfifo(filepath.Join(dir, "SOUL.md"), 0o600), // would block a plain open
		os.Mkdir(filepath.Join(dir, "USER.md"), 0o755),
		os.WriteFile(filepath.Join(dir, "real.md"), []byte("inside"), 0o644),
		os.Symlink("real.md", filepath.Join(dir, "TOOLS.md")), // stays inside: works
		os.WriteFile(filepath.Join(dir, "MEMORY.md"), make([]byte, maxFile+1), 0o644),
		os.WriteFile(filepath.Join(dir, "IDENTITY.md"), make([]byte, maxFile), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	says := map[string]string{
		"AGENTS.md": "escapes", "SOUL.md": "no regular file", "USER.md": "no regular file", "MEMORY.md": "more than 4194304 bytes",
	}
	for _, f := range open(t, dir).Files() {
		want, bad := says[f.Name]
		if bad != (f.Problem != "") || !strings.Contains(f.Problem, want) || bad && len(f.Data) > 0 {
			t.Errorf("%s: problem %q with %d bytes, want %q", f.Name, f.Problem, len(f.Data), want)
		}
		if f.Name == "TOOLS.md" && string(f.Data) != "inside" {
			t.Errorf("a link that stays inside gave %q", f.Data)
		}
	}
}

// TestNoFileOfThePromptIsASecret: neither by a link nor by its own name.
func TestNoFileOfThePromptIsASecret(t *testing.T) {
	dir := lay(t, map[string]string{".env": "secret", "TOOLS.md": "tools", "USER.md": "user"})
	if err := os.Symlink(".env", filepath.Join(dir, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range open(t, dir).Except(func(abs string) bool { return abs == dir+"/.env" || abs == dir+"/USER.md" }).Files() {
		if !f.Missing {
			got[f.Name] = string(f.Data) + f.Problem
		}
	}
	const kept = ", which policy keeps from being read"
	if d := cmp.Diff(map[string]string{"AGENTS.md": "it is " + dir + "/.env" + kept, "TOOLS.md": "tools", "USER.md": "it is " + dir + "/USER.md" + kept}, got); d != "" {
		t.Error(d)
	}
}

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(lay(t, map[string]string{"x": ""}), "x")
	for dir, want := range map[string]string{
		"/nonexistent/lab": "does not exist",
		file:               "is no folder",
	} {
		_, err := Open(dir)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || e.Hint() == "" {
			t.Errorf("Open(%s) = %v, want %q with a hint", dir, err, want)
		}
	}
}

// TestUnreadable runs as an ordinary user, since root reads everything.
func TestUnreadable(t *testing.T) {
	if dir := os.Getenv("WORKSPACE_TEST_DIR"); dir != "" {
		_, err := Open(dir)
		var e *Error
		if !errors.As(err, &e) || e.What != "can't be read" {
			t.Fatalf("Open = %v", err)
		}
		return
	}
	dir := lay(t, nil)
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	for p := filepath.Dir(dir); p != "/tmp" && p != "/"; p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(filepath.Dir(dir), "self.test")
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, data, 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(copied, "-test.run=^TestUnreadable$")
	c.Dir = "/"
	c.Env = []string{"WORKSPACE_TEST_DIR=" + dir}
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	} else if err := os.Chmod(dir, 0o311); err != nil {
		t.Fatal(err)
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestHolds(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "key")
	for _, p := range []string{filepath.Join(dir, "a.wav"), outside} {
		if err := os.WriteFile(p, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"in": "a.wav", "out": outside, "sub/up": "../a.wav"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"a.wav": true, "./sub/../a.wav": true, "in": true, "sub/up": true,
		"out": false, "sub": false, "b.wav": false, "": false, "../key": false, outside: false, "a.wav/": false,
	} {
		if got := f.Holds(path); got != want {
			t.Errorf("Holds(%q) = %v", path, got)
		}
	}
}
