package deploy

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// source is what is shipped.
var source = filepath.Join("..", "..", "deploy", "jetson")

// kit copies what is shipped to a folder, with a program and, where the source
// has none yet, the files that others write.
func kit(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "agent-arm64"), "program 1")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// install runs the script below root.
func install(kit, root string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(kit, "install.sh"), append([]string{"--root", root}, args...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// tree lists the files below root with their permissions.
func tree(t *testing.T, root string) map[string]fs.FileMode {
	t.Helper()
	files := map[string]fs.FileMode{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		files[strings.TrimPrefix(p, root)] = info.Mode()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestInstallPutsEverythingInPlace(t *testing.T) {
	kit, root := kit(t), t.TempDir()
	if out, err := install(kit, root); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := map[string]fs.FileMode{
		"/usr/local/bin/agent":                                0o755,
		"/usr/local/share/doc/hardshell/README.md":            0o644,
		"/etc/hardshell/policy.toml":                          0o644,
		"/etc/hardshell/config.toml":                          0o644,
		"/etc/systemd/system/hardshell.service":               0o644,
		"/etc/systemd/system/ollama.service.d/hardshell.conf": 0o644,
		"/etc/sysusers.d/hardshell.conf":                      0o644,
		"/etc/udev/rules.d/70-hardshell.rules":                0o644,
	}
	for f := range tree(t, filepath.Join(source, "workspace")) {
		want["/var/lib/hardshell/workspace"+f] = 0o644
	}
	if diff := cmp.Diff(want, tree(t, root)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// An update brings the new program and keeps what a person has changed.
func TestInstallAgainKeepsChanges(t *testing.T) {
	kit, root := kit(t), t.TempDir()
	if out, err := install(kit, root); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mine := []string{"etc/hardshell/policy.toml", "etc/hardshell/config.toml"}
	agents := filepath.Join(root, "var/lib/hardshell/workspace/AGENTS.md")
	write(t, agents, "mine")
	// The agent removes this file once it is set up; it must not come back.
	bootstrap := filepath.Join(root, "var/lib/hardshell/workspace/BOOTSTRAP.md")
	if err := os.Remove(bootstrap); err != nil {
		t.Fatal(err)
	}
	for _, f := range mine {
		write(t, filepath.Join(root, f), "mine")
	}
	write(t, filepath.Join(kit, "agent-arm64"), "program 2")
	out, err := install(kit, root)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, f := range mine {
		if got := read(t, filepath.Join(root, f)); got != "mine" {
			t.Errorf("/%s was overwritten with %q", f, got)
		}
		if want := "/" + f + " is kept as it is; the new version lies in "; !strings.Contains(out, want) {
			t.Errorf("the script does not say %q:\n%s", want, out)
		}
	}
	if got := read(t, agents); got != "mine" {
		t.Errorf("AGENTS.md was overwritten with %q", got)
	}
	if _, err := os.Stat(bootstrap); err == nil {
		t.Error("BOOTSTRAP.md came back with the update")
	}
	// Nor when the workspace of an agent that ran was emptied.
	if err := os.RemoveAll(filepath.Dir(agents)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "var/lib/hardshell/hardshell.db"), "an agent ran")
	if out, err := install(kit, root); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(agents); err != nil {
		t.Error("an empty workspace was not filled")
	}
	if _, err := os.Stat(bootstrap); err == nil {
		t.Error("BOOTSTRAP.md came back into an emptied workspace")
	}
	if got := read(t, filepath.Join(root, "usr/local/bin/agent")); got != "program 2" {
		t.Errorf("the program is %q after the update", got)
	}
}

func TestRemoveLeavesStateAndConfig(t *testing.T) {
	kit, root := kit(t), t.TempDir()
	if out, err := install(kit, root); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := install(kit, root, "--remove"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for f := range tree(t, root) {
		if !strings.HasPrefix(f, "/etc/hardshell/") && !strings.HasPrefix(f, "/var/lib/hardshell/") {
			t.Errorf("%s is left behind", f)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "etc/hardshell/policy.toml")); err != nil {
		t.Errorf("the policy is gone: %v", err)
	}
}

func TestInstallSaysWhatIsWrong(t *testing.T) {
	kit, root := kit(t), t.TempDir()
	if out, err := install(kit, root, "--verbose"); err == nil || !strings.Contains(out, "what is --verbose? usage: ") {
		t.Errorf("an unknown flag gives %v, %q", err, out)
	}
	if err := os.Remove(filepath.Join(kit, "agent-arm64")); err != nil {
		t.Fatal(err)
	}
	if out, err := install(kit, root); err == nil || !strings.Contains(out, "there is no binary: run make build-arm64 first") {
		t.Errorf("a missing binary gives %v, %q", err, out)
	}
	if got := tree(t, root); len(got) != 0 {
		t.Errorf("a refused installation left %v", got)
	}
}

// settings gives a unit file's values by key.
func settings(t *testing.T, name string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, line := range strings.Split(read(t, filepath.Join(source, name)), "\n") {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "[") || line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			t.Fatalf("%s: %q is no setting", name, line)
		}
		all[key] = append(all[key], value)
	}
	return all
}

// The unit, the users file and the script speak of the same user, program and
// folders.
func TestUnitAgreesWithTheRest(t *testing.T) {
	unit := settings(t, "hardshell.service")
	if got := unit["ExecStart"]; len(got) != 1 || !strings.HasPrefix(got[0], "/usr/local/bin/agent serve ") {
		t.Errorf("ExecStart is %q", got)
	}
	if diff := cmp.Diff([]string{"hardshell"}, unit["User"]); diff != "" {
		t.Errorf("User (-want +got):\n%s", diff)
	}
	users := read(t, filepath.Join(source, "hardshell.sysusers"))
	for _, group := range strings.Fields(strings.Join(unit["SupplementaryGroups"], " ")) {
		if !regexp.MustCompile(`(?m)^m hardshell ` + group + `$`).MatchString(users) {
			t.Errorf("the unit wants group %s, which hardshell.sysusers does not give", group)
		}
		// Sound and cameras have theirs from the system.
		if group != "audio" && group != "video" && !strings.Contains(read(t, filepath.Join(source, "hardshell.rules")), `GROUP="`+group+`"`) {
			t.Errorf("no rule gives a device to group %s", group)
		}
	}
	for _, dir := range []string{"StateDirectory", "RuntimeDirectory", "ConfigurationDirectory"} {
		if diff := cmp.Diff([]string{"hardshell"}, unit[dir]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dir, diff)
		}
	}
	server := settings(t, "ollama.conf")["Environment"]
	for _, want := range []string{"OLLAMA_HOST=127.0.0.1:11434", "OLLAMA_KEEP_ALIVE=-1", "OLLAMA_MAX_LOADED_MODELS=1"} {
		if !strings.Contains(strings.Join(server, "\n"), want) {
			t.Errorf("ollama.conf does not set %s", want)
		}
	}
}

// What keeps the service in its place stays in the unit.
func TestUnitIsHardened(t *testing.T) {
	unit := settings(t, "hardshell.service")
	for key, want := range map[string]string{
		"NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes",
		"CapabilityBoundingSet": "", "DevicePolicy": "closed", "RestrictSUIDSGID": "yes", "UMask": "0027",
		"Delegate": "memory pids cpu",
		// The end of the Go runtime exits with 2, that by SIGTERM with 0: both are started again.
		"Restart": "always", "RestartPreventExitStatus": "78", "StartLimitIntervalSec": "300", "StartLimitBurst": "20",
	} {
		if got := unit[key]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if _, ok := unit["RestrictNamespaces"]; ok {
		t.Error("RestrictNamespaces would take away what commands are confined with")
	}
	for _, key := range []string{"ProtectKernelTunables", "ProtectKernelLogs", "ProtectHostname", "ProtectProc", "ProcSubset"} {
		if _, ok := unit[key]; ok {
			t.Errorf("%s puts mounts over parts of /proc: an ordinary user's commands then get no /proc of their own, and so can't run", key)
		}
	}
}
