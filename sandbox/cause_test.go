package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestItem20_TheCauseIsNamed: whatever keeps namespaces from the agent, what is said names
// it, with the command that mends it.
func TestItem20_TheCauseIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		files     map[string]string
		uid       int
		what, how string // "" for nothing known
	}{
		"nothing":                 {nil, 1000, "", ""},
		"none for users":          {map[string]string{"proc/sys/user/max_user_namespaces": "0\n"}, 1000, "user.max_user_namespaces is 0", "sysctl -w user.max_user_namespaces=15000"},
		"none for root either":    {map[string]string{"proc/sys/user/max_user_namespaces": "0\n"}, 0, "user.max_user_namespaces is 0", "sysctl -w user.max_user_namespaces=15000"},
		"enough":                  {map[string]string{"proc/sys/user/max_user_namespaces": "10\n"}, 1000, "", ""},
		"no processes":            {map[string]string{"proc/sys/user/max_pid_namespaces": "0\n"}, 1000, "user.max_pid_namespaces is 0", "sysctl -w user.max_pid_namespaces=15000"},
		"Debian's switch":         {map[string]string{"proc/sys/kernel/unprivileged_userns_clone": "0\n"}, 1000, "kernel.unprivileged_userns_clone is 0", "sysctl -w kernel.unprivileged_userns_clone=1"},
		"Debian's and root":       {map[string]string{"proc/sys/kernel/unprivileged_userns_clone": "0\n"}, 0, "", ""},
		"AppArmor":                {map[string]string{"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}, 1000, "AppArmor", "a profile with the line userns,"},
		"AppArmor that lets":      {map[string]string{"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "0\n"}, 1000, "", ""},
		"docker":                  {map[string]string{".dockerenv": ""}, 0, "a container", "--security-opt seccomp=unconfined"},
		"podman":                  {map[string]string{"run/.containerenv": ""}, 1000, "a container", "on the machine itself"},
		"nspawn":                  {map[string]string{"run/systemd/container": "systemd-nspawn\n"}, 0, "a container", "on the machine itself"},
		"a switch in a container": {map[string]string{".dockerenv": "", "proc/sys/user/max_user_namespaces": "0\n"}, 0, "user.max_user_namespaces is 0", "sysctl"},
		"a filter":                {map[string]string{"proc/self/status": "Name:\tagent\nSeccomp:\t2\nSeccomp_filters:\t1\n"}, 1000, "a filter of system calls", "RestrictNamespaces="},
		"an old kernel":           {map[string]string{"proc/self/ns/mnt": ""}, 0, "CONFIG_USER_NS", "use a kernel"},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			path := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got := findCause(root, c.uid)
		if (c.what == "") != (got == cause{}) || !strings.Contains(got.What, c.what) || !strings.Contains(got.Mend, c.how) {
			t.Errorf("%s: %+v, want %q, mended by %q", name, got, c.what, c.how)
		}
	}
	r := Report{Missing: "namespaces: the setting user.max_user_namespaces is 0", Mend: "sudo sysctl", User: 0}
	for _, l := range r.Each() {
		if l.State == "missing" && (l.Action != "sudo sysctl" || !strings.Contains(l.Why, "max_user_namespaces")) {
			t.Errorf("%+v does not name cause and cure", l)
		}
	}
	if got := states(r)["missing"]; strings.Join(got, " ") != "mount pid net ipc" {
		t.Errorf("for root these layers are missing: %v", got)
	}
}
