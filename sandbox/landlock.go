package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights on files, by what a tree is for.
const (
	landRead = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landRun  = landRead | unix.LANDLOCK_ACCESS_FS_EXECUTE
	landMake = unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE
	landWrite = landRead | landMake | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	landFile  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landlockABI is the version that this kernel has, 0 when it has none. The Jetson's
// own kernels are built without it.
func landlockABI() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// handled are the rights that a version knows; all of them are taken away unless a
// rule gives them.
func handled(abi int) (files, net, scope uint64) {
	files = 1<<13 - 1
	if abi >= 2 {
		files |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		files |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		files |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		scope = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return files, net, scope
}

// landlock puts the second fence up. It returns no name, and no error, on a kernel
// without it.
func landlock(j *job) (string, error) {
	abi := landlockABI()
	if abi == 0 || !j.Landlock {
		return "", weakerFence(j)
	}
	files, net, scope := handled(abi)
	attr := [3]uint64{files, net, scope}
	size := uintptr(8)
	if abi >= 4 {
		size = 16
	}
	if abi >= 6 {
		size = 24
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return "", fmt.Errorf("make the rules: %w", errno)
	}
	defer unix.Close(int(fd))
	for _, rule := range rules(j) {
		if err := addRule(int(fd), rule.path, rule.rights&files); err != nil {
			return "", err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return "", fmt.Errorf("put the rules in force: %w", errno)
	}
	return fmt.Sprintf("%s-%d", layerLandlock, abi), nil
}

// weakerFence refuses the one case in which nothing at all would bound files.
func weakerFence(j *job) error {
	if j.Namespaces {
		return nil
	}
	return errors.New("this kernel has neither the namespaces nor Landlock, so nothing would keep commands out of files; commands can't be run here")
}

type landRule struct {
	path   string
	rights uint64
}

// rules give each tree what it is for.
func rules(j *job) []landRule {
	out := []landRule{{"/proc", landRead}}
	for _, p := range j.System {
		out = append(out, landRule{p, landRun})
	}
	for _, p := range j.Read {
		out = append(out, landRule{p, landRead})
	}
	for _, p := range append(nodes(), j.Devices...) {
		out = append(out, landRule{p, unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV})
	}
	write := uint64(landWrite)
	if j.WritableRun {
		write |= unix.LANDLOCK_ACCESS_FS_EXECUTE
	}
	out = append(out, landRule{j.Workspace, write})
	if j.Namespaces { // the root and /tmp are the command's own
		out = append(out, landRule{"/tmp", write}, landRule{"/", unix.LANDLOCK_ACCESS_FS_READ_DIR})
	}
	return out
}

// addRule gives rights on one tree. What is not there needs none.
func addRule(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= landFile
	}
	// A packed structure: eight bytes of rights, four of the descriptor.
	var rule [12]byte
	*(*uint64)(unsafe.Pointer(&rule[0])) = rights
	*(*int32)(unsafe.Pointer(&rule[8])) = int32(fd)
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule[0])), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("rule for %s: %w", path, errno)
	}
	return nil
}

// hiddenInside names a hidden path that lies in a tree which commands can read:
// without a root of its own nothing can cover it.
func hiddenInside(j *job) string {
	for _, h := range j.Hidden {
		for _, tree := range append(append([]string{j.Workspace}, j.Read...), j.System...) {
			if rel, err := filepath.Rel(tree, h); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
				if _, err := os.Lstat(h); err == nil {
					return h
				}
			}
		}
	}
	return ""
}
