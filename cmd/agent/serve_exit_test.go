package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hardshell/runtime/model/modeltest"
)

// daemonAt gives a serve command in a world of its own, with a config and a policy file.
func daemonAt(t *testing.T, config, policy string, args ...string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"config.toml": config, "policy.toml": policy} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "ws"), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"serve", "--workspace", filepath.Join(dir, "ws")}, args...)...)
	cmd.Args[0] = "agent"
	cmd.Env = []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "HARDSHELL_CONFIG=" + filepath.Join(dir, "config.toml"), "HARDSHELL_STATE=" + filepath.Join(dir, "state"),
		"HARDSHELL_POLICY=" + filepath.Join(dir, "policy.toml"), "OLLAMA_HOST=" + modeltest.New(t).URL,
	}
	return cmd
}

// exitCode is how a command ended.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit == nil {
		return 0
	}
	return exit.ExitCode()
}

// TestItem24_ServeEndsWithCodesOfItsOwn: what stays wrong ends with 78, and no crash of
// the Go runtime, which ends with 2, is taken for it.
func TestItem24_ServeEndsWithCodesOfItsOwn(t *testing.T) {
	for name, cmd := range map[string]*exec.Cmd{
		"a wrong key":      daemonAt(t, "[model]\nnane = 1\n", busyPolicy),
		"no TOML":          daemonAt(t, "[model\n", busyPolicy),
		"a wrong policy":   daemonAt(t, "# none\n", "version = 1\nname = \n"),
		"an unknown flag":  daemonAt(t, "# none\n", busyPolicy, "--no-such"),
		"an argument":      daemonAt(t, "# none\n", busyPolicy, "now"),
		"a missing folder": daemonAt(t, "# none\n", busyPolicy, "--workspace", "/no/such/folder"),
		"an unknown board": daemonAt(t, "# none\n", busyPolicy, "--board", "toaster"),
	} {
		out, err := cmd.CombinedOutput()
		if code := exitCode(t, err); code != 78 {
			t.Errorf("%s: exit code %d, want 78\n%s", name, code, out)
		}
	}
	for signal, want := range map[syscall.Signal]int{syscall.SIGSEGV: 2, syscall.SIGABRT: 2, syscall.SIGQUIT: 2, syscall.SIGTERM: 0} {
		cmd := daemonAt(t, "# none\n", busyPolicy)
		log, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(log)
		for lines.Scan() && !strings.Contains(lines.Text(), `"serving"`) {
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
		}
		if code := exitCode(t, cmd.Wait()); code != want {
			t.Errorf("%v: exit code %d, want %d", signal, code, want)
		}
	}
}
