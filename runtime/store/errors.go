package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"hardshell/runtime/event"
)

// Fault is what an Error is about. errors.Is finds it in any error of the store.
type Fault string

// The kinds that a caller can branch on. Their words are the codes that the JSON
// surface shows.
const (
	Busy     Fault = "store_busy"       // another process holds the state folder
	Newer    Fault = "store_newer"      // a newer program wrote the store; nothing of it was touched
	Damaged  Fault = "store_damaged"    // it broke while it was in use, or could not be set aside
	Full     Fault = "store_full"       // no space left; nothing of the failed write stays
	ReadOnly Fault = "store_read_only"  // this user may not write into the state folder
	Foreign  Fault = "store_foreign"    // it belongs to another user, and this one may not read it
	Conflict Fault = "session_conflict" // two writers share a session; nothing was written
)

func (k Fault) Error() string { return string(k) }

// Error is a failure of the store that a caller can branch on.
type Error struct {
	Kind    Fault
	Message string
	Hint    string // what to do about it
	PID     int    // of the process that is Busy, 0 when it did not say
	Cause   error  // may be nil
}

func (e *Error) Error() string { return e.Message + "; " + e.Hint }

// Unwrap gives the kind, the parts that the JSON surface shows, and the cause.
func (e *Error) Unwrap() []error {
	out := []error{e.Kind, &event.Problem{Code: string(e.Kind), Message: e.Message, Hint: e.Hint}}
	if e.Cause != nil {
		out = append(out, e.Cause)
	}
	return out
}

// errClosed is what every method gives after Close.
var errClosed = errors.New("the store is closed: open it again")

func busy(pid int, path string) *Error {
	if pid > 0 {
		return &Error{
			Kind: Busy, PID: pid,
			Message: fmt.Sprintf("process %d holds the state folder %s", pid, path),
			Hint:    "use its socket, end it, or name another folder with --state",
		}
	}
	return &Error{
		Kind:    Busy,
		Message: "another process holds the state folder " + path,
		Hint:    "end it or name another folder with --state",
	}
}

// newer refuses a file of format have.
func newer(path string, have int) *Error {
	return &Error{
		Kind:    Newer,
		Message: fmt.Sprintf("%s has format %d and this program knows formats up to %d; nothing was touched", path, have, formatVersion),
		Hint:    "run the newer agent again or name another folder with --state",
	}
}

func damaged(path string, cause error) *Error {
	return &Error{
		Kind:    Damaged,
		Message: fmt.Sprintf("%s is damaged (%v)", path, cause),
		Hint:    "start the agent again: it sets a damaged file aside and restores the last snapshot",
		Cause:   cause,
	}
}

// onlyLooked refuses to write what was opened by Look.
func onlyLooked(dir, op string) *Error {
	return &Error{
		Kind:    ReadOnly,
		Message: fmt.Sprintf("%s is only looked at: it can't be written to %s", dir, op),
		Hint:    "start the agent",
	}
}

func conflict(session string, expected, last uint64) *Error {
	return &Error{
		Kind:    Conflict,
		Message: fmt.Sprintf("session %s is at entry %d, not %d: somebody else wrote to it; nothing was written", session, last, expected),
		Hint:    "open the session again and repeat",
	}
}

// cause is why something is Damaged.
func cause(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Cause != nil {
		return e.Cause
	}
	return err
}

// classify turns what the system said about path into an error that a caller can
// branch on. op is a verb phrase: "store a message".
func classify(path, op string, err error) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known), errors.Is(err, errClosed):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), strings.Contains(err.Error(), syscall.ENOSPC.Error()):
		// bbolt wraps some errors as text only.
		return &Error{
			Kind:    Full,
			Message: fmt.Sprintf("no space left in %s to %s; nothing of it was written", path, op),
			Hint:    "free some space on that disk and try again",
			Cause:   err,
		}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &Error{
			Kind:    ReadOnly,
			Message: fmt.Sprintf("%s can't be written to %s (%v)", path, op, err),
			Hint:    "give this user the folder (mode 0700) or name another one with --state",
			Cause:   err,
		}
	default:
		return fmt.Errorf("can't %s in %s: %w; look at the disk, then try again", op, path, err)
	}
}
