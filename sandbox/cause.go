package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// cause is why a machine gives a process no namespaces, and what mends it.
type cause struct{ What, Mend string }

// switches are the settings of a kernel that keep namespaces from everybody, or, where
// plain is true, from all but root.
var switches = []struct {
	file, off string
	plain     bool
	cause
}{
	{"user/max_user_namespaces", "0", false, cause{"the setting user.max_user_namespaces is 0: nobody can make a user namespace", "sudo sysctl -w user.max_user_namespaces=15000; a line user.max_user_namespaces = 15000 in /etc/sysctl.d/60-hardshell.conf keeps it"}},
	{"user/max_mnt_namespaces", "0", false, cause{"the setting user.max_mnt_namespaces is 0: nobody can make a mount namespace", "sudo sysctl -w user.max_mnt_namespaces=15000; a line user.max_mnt_namespaces = 15000 in /etc/sysctl.d/60-hardshell.conf keeps it"}},
	{"user/max_pid_namespaces", "0", false, cause{"the setting user.max_pid_namespaces is 0: nobody can make a process namespace", "sudo sysctl -w user.max_pid_namespaces=15000; a line user.max_pid_namespaces = 15000 in /etc/sysctl.d/60-hardshell.conf keeps it"}},
	{"user/max_net_namespaces", "0", false, cause{"the setting user.max_net_namespaces is 0: nobody can make a network namespace", "sudo sysctl -w user.max_net_namespaces=15000; a line user.max_net_namespaces = 15000 in /etc/sysctl.d/60-hardshell.conf keeps it"}},
	{"user/max_ipc_namespaces", "0", false, cause{"the setting user.max_ipc_namespaces is 0: nobody can make a namespace of shared memory", "sudo sysctl -w user.max_ipc_namespaces=15000; a line user.max_ipc_namespaces = 15000 in /etc/sysctl.d/60-hardshell.conf keeps it"}},
	{"user/max_uts_namespaces", "0", false, cause{"the setting user.max_uts_namespaces is 0: nobody can make a namespace of host names", "sudo sysctl -w user.max_uts_namespaces=15000; a line user.max_uts_namespaces = 15000 in /etc/sysctl.d/60-hardshell.conf keeps it"}},
	{"kernel/unprivileged_userns_clone", "0", true, cause{"the setting kernel.unprivileged_userns_clone is 0: only root can make a user namespace", "sudo sysctl -w kernel.unprivileged_userns_clone=1; a line kernel.unprivileged_userns_clone = 1 in /etc/sysctl.d/60-hardshell.conf keeps it"}},
	{"kernel/apparmor_restrict_unprivileged_userns", "1", true, cause{"AppArmor keeps user namespaces from programs without a profile (kernel.apparmor_restrict_unprivileged_userns is 1)", "give the agent a profile with the line userns, (deploy/jetson/README.md), or: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"}},
}

// findCause looks below root for why user uid got no namespaces. The zero cause says
// that nothing is known to be in the way.
func findCause(root string, uid int) cause {
	read := func(name string) string {
		b, _ := os.ReadFile(filepath.Join(root, name)) // one that is not there says nothing
		return strings.TrimSpace(string(b))
	}
	there := func(name string) bool {
		_, err := os.Lstat(filepath.Join(root, name))
		return err == nil
	}
	if _, err := os.Lstat(filepath.Join(root, "proc/self/ns/user")); errors.Is(err, fs.ErrNotExist) && there("proc/self/ns") {
		return cause{"this kernel is built without user namespaces (CONFIG_USER_NS)", "use a kernel that has them; JetPack's own has"}
	}
	for _, s := range switches {
		if read("proc/sys/"+s.file) == s.off && (!s.plain || uid != 0) {
			return s.cause
		}
	}
	if there(".dockerenv") || there("run/.containerenv") || read("run/systemd/container") != "" {
		return cause{"this is a container, and its runtime forbids namespaces", "run the agent on the machine itself, or start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"}
	}
	if strings.Contains("\n"+read("proc/self/status")+"\n", "\nSeccomp:\t2\n") {
		return cause{"a filter of system calls on the agent itself forbids namespaces", "take RestrictNamespaces= and a SystemCallFilter= without @mount and @process out of the agent's unit: sudo systemctl edit hardshell"}
	}
	return cause{}
}
