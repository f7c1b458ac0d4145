package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"hardshell/runtime/event"
)

// Busy says that another process holds the state folder. PID is 0 when the
// holder did not say who it is.
type Busy struct {
	PID  int
	Path string // the state folder
}

// Problem gives the error as the JSON surface has it.
func (e *Busy) Problem() event.Problem {
	p := event.Problem{Code: "store_busy"}
	if e.PID > 0 {
		p.Message = fmt.Sprintf("process %d holds the state folder %s", e.PID, e.Path)
		p.Hint = "use its socket, end it, or name another folder with --state"
	} else {
		p.Message = "another process holds the state folder " + e.Path
		p.Hint = "end it or name another folder with --state"
	}
	return p
}

func (e *Busy) Error() string { return sentence(e) }

// As lets errors.As find an event.Problem in it.
func (e *Busy) As(target any) bool { return asProblem(e, target) }

// Newer says that a newer program wrote the store. Nothing of it was touched.
type Newer struct {
	Path       string
	Have, Know int // format version of the file, and the newest this program knows
}

// Problem gives the error as the JSON surface has it.
func (e *Newer) Problem() event.Problem {
	return event.Problem{
		Code:    "store_newer",
		Message: fmt.Sprintf("%s has format %d and this program knows formats up to %d; nothing was touched", e.Path, e.Have, e.Know),
		Hint:    "run the newer agent again or name another folder with --state",
	}
}

func (e *Newer) Error() string { return sentence(e) }

// As lets errors.As find an event.Problem in it.
func (e *Newer) As(target any) bool { return asProblem(e, target) }

// Damaged says that the store can't be used as it is: it broke while it was in
// use, or it could not be set aside.
type Damaged struct {
	Path  string
	Cause error
}

// Problem gives the error as the JSON surface has it.
func (e *Damaged) Problem() event.Problem {
	return event.Problem{
		Code:    "store_damaged",
		Message: fmt.Sprintf("%s is damaged (%v)", e.Path, e.Cause),
		Hint:    "start the agent again: it sets a damaged file aside and restores the last snapshot",
	}
}

func (e *Damaged) Error() string { return sentence(e) }

// As lets errors.As find an event.Problem in it.
func (e *Damaged) As(target any) bool { return asProblem(e, target) }
func (e *Damaged) Unwrap() error      { return e.Cause }

// Full says that the disk has no space left. Nothing of the failed write stays.
type Full struct {
	Path, Op string
	Cause    error
}

// Problem gives the error as the JSON surface has it.
func (e *Full) Problem() event.Problem {
	return event.Problem{
		Code:    "store_full",
		Message: fmt.Sprintf("no space left in %s to %s; nothing of it was written", e.Path, e.Op),
		Hint:    "free some space on that disk and try again",
	}
}

func (e *Full) Error() string { return sentence(e) }

// As lets errors.As find an event.Problem in it.
func (e *Full) As(target any) bool { return asProblem(e, target) }
func (e *Full) Unwrap() error      { return e.Cause }

// ReadOnly says that this user may not write into the state folder.
type ReadOnly struct {
	Path, Op string
	Cause    error
}

// Problem gives the error as the JSON surface has it.
func (e *ReadOnly) Problem() event.Problem {
	return event.Problem{
		Code:    "store_read_only",
		Message: fmt.Sprintf("%s can't be written to %s (%v)", e.Path, e.Op, e.Cause),
		Hint:    "give this user the folder (mode 0700) or name another one with --state",
	}
}

func (e *ReadOnly) Error() string { return sentence(e) }

// As lets errors.As find an event.Problem in it.
func (e *ReadOnly) As(target any) bool { return asProblem(e, target) }
func (e *ReadOnly) Unwrap() error      { return e.Cause }

// Conflict says that a session has moved on since the caller last looked: two
// writers share it. Nothing was written.
type Conflict struct {
	Session        string
	Expected, Last uint64
}

// Problem gives the error as the JSON surface has it.
func (e *Conflict) Problem() event.Problem {
	return event.Problem{
		Code:    "session_conflict",
		Message: fmt.Sprintf("session %s is at entry %d, not %d: somebody else wrote to it; nothing was written", e.Session, e.Last, e.Expected),
		Hint:    "open the session again and repeat",
	}
}

func (e *Conflict) Error() string { return sentence(e) }

// As lets errors.As find an event.Problem in it.
func (e *Conflict) As(target any) bool { return asProblem(e, target) }

// ErrClosed is what every method gives after Close.
var ErrClosed = errors.New("the store is closed: open it again")

// problem is what every typed error here can say.
type problem interface{ Problem() event.Problem }

// asProblem serves errors.As for those who print an error's parts.
func asProblem(e problem, target any) bool {
	p, ok := target.(**event.Problem)
	if ok {
		found := e.Problem()
		*p = &found
	}
	return ok
}

// sentence joins message and hint of a typed error.
func sentence(e problem) string {
	p := e.Problem()
	return p.Message + "; " + p.Hint
}

// classify turns what the system said about path into an error that a caller can
// branch on. op is a verb phrase: "store a message".
func classify(path, op string, err error) error {
	var typed problem
	switch {
	case err == nil:
		return nil
	case errors.As(err, &typed), errors.Is(err, ErrClosed):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), strings.Contains(err.Error(), syscall.ENOSPC.Error()):
		// bbolt wraps some errors as text only.
		return &Full{Path: path, Op: op, Cause: err}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &ReadOnly{Path: path, Op: op, Cause: err}
	default:
		return fmt.Errorf("can't %s in %s: %w; look at the disk, then try again", op, path, err)
	}
}
