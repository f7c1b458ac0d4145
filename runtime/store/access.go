package store

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// Writable says what keeps this user from writing to the state folder dir, as a
// ReadOnly error that names the cause: the mount, the owner or the mode. It is nil
// where nothing does, and where the folder is not there yet.
func Writable(dir string) error {
	for _, name := range []string{"", lockName, dbName, auditDir, keyName} {
		path := filepath.Join(dir, name)
		err := syscall.Access(path, 0x2 /* W_OK */)
		if errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
			return unwritable(dir, path, err)
		}
	}
	return nil
}

// unwritable names why path, in the state folder dir, can't be written to.
func unwritable(dir, path string, err error) *Error {
	e := &Error{Kind: ReadOnly, Cause: err}
	info, statErr := os.Stat(path)
	owner, known := ownerOf(info)
	me := os.Geteuid()
	switch {
	case errors.Is(err, syscall.EROFS):
		e.Message = path + " can't be written to: its file system is mounted read-only"
		e.Hint = "mount it writable (one with errors is mounted so by the kernel: dmesg says why), or name another one with --state"
	case statErr == nil && known && owner != me:
		e.Message = fmt.Sprintf("%s can't be written to: it belongs to %s (mode %04o), and this is %s", path, userName(owner), info.Mode().Perm(), userName(me))
		e.Hint = fmt.Sprintf("run the command as %s, or name another one with --state; sudo chown -R %d %s gives it to this user for good", userName(owner), me, dir)
	case statErr == nil:
		e.Message = fmt.Sprintf("%s can't be written to: its mode is %04o", path, info.Mode().Perm())
		e.Hint = "chmod u+w " + path + ", or name another one with --state"
	default:
		e.Message = fmt.Sprintf("%s can't be written to (%v)", path, err)
		e.Hint = "give this user the folder (mode 0700) or name another one with --state"
	}
	return e
}

// foreign says that a file or folder may not even be read.
func foreign(path string, why error) *Error {
	whose := "another user"
	info, err := os.Stat(path)
	if owner, known := ownerOf(info); err == nil && known {
		whose = userName(owner)
	}
	return &Error{
		Kind:    Foreign,
		Message: fmt.Sprintf("%s belongs to %s, and %s may not read it", path, whose, userName(os.Geteuid())),
		Hint:    "run the command as its owner, or name another one with --state",
		Cause:   why,
	}
}

// ownerOf is the user that a file belongs to.
func ownerOf(info os.FileInfo) (uid int, known bool) {
	if info == nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// userName is how a person knows a user: by name, else by number.
func userName(uid int) string {
	id := strconv.Itoa(uid)
	if u, err := user.LookupId(id); err == nil {
		return "user " + u.Username
	}
	return "user " + id
}
