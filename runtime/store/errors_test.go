package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"hardshell/runtime/event"
)

// TestErrorsEndInAnAction reads each error as a person does, and as a program.
func TestErrorsEndInAnAction(t *testing.T) {
	disk := errors.New("input/output error")
	for _, c := range []struct {
		err  error
		want event.Problem
	}{
		{busy(42, "/s"), event.Problem{Code: "store_busy", Message: "process 42 holds the state folder /s", Hint: "use its socket, end it, or name another folder with --state"}},
		{busy(0, "/s"), event.Problem{Code: "store_busy", Message: "another process holds the state folder /s", Hint: "end it or name another folder with --state"}},
		{newer("/s/db", 3), event.Problem{Code: "store_newer", Message: "/s/db has format 3 and this program knows formats up to 1; nothing was touched", Hint: "run the newer agent again or name another folder with --state"}},
		{damaged("/s/db", disk), event.Problem{Code: "store_damaged", Message: "/s/db is damaged (input/output error)", Hint: "start the agent again: it sets a damaged file aside and restores the last snapshot"}},
		{classify("/s", "store the session", syscall.ENOSPC), event.Problem{Code: "store_full", Message: "no space left in /s to store the session; nothing of it was written", Hint: "free some space on that disk and try again"}},
		{classify("/s", "lock it", syscall.EROFS), event.Problem{Code: "store_read_only", Message: "/s can't be written to lock it (read-only file system)", Hint: "give this user the folder (mode 0700) or name another one with --state"}},
		{conflict("main", 3, 5), event.Problem{Code: "session_conflict", Message: "session main is at entry 5, not 3: somebody else wrote to it; nothing was written", Hint: "open the session again and repeat"}},
	} {
		wrapped := fmt.Errorf("agent: %w", c.err)
		var p *event.Problem
		if !errors.As(wrapped, &p) {
			t.Errorf("%T gives no problem", c.err)
			continue
		}
		diff(t, fmt.Sprintf("%T", c.err), *p, c.want)
		diff(t, "sentence", c.err.Error(), c.want.Message+"; "+c.want.Hint)
		var other *os.PathError
		if errors.As(c.err, &other) {
			t.Errorf("%T passes for a %T", c.err, other)
		}
	}
	for err, cause := range map[error]error{
		damaged("/s", disk):                     disk,
		classify("/s", "do it", syscall.ENOSPC): syscall.ENOSPC,
		classify("/s", "do it", syscall.EROFS):  syscall.EROFS,
	} {
		if !errors.Is(err, cause) {
			t.Errorf("%T hides its cause", err)
		}
	}
}

func TestClassify(t *testing.T) {
	path := func(err error) error { return &fs.PathError{Op: "write", Path: "/s/x", Err: err} }
	typed := []error{&Error{Kind: Busy}, &Error{Kind: Newer}, &Error{Kind: Damaged}, &Error{Kind: Full}, &Error{Kind: ReadOnly}, &Error{Kind: Conflict}, errClosed}
	for _, err := range typed {
		if got := classify("/s", "do it", err); got != err {
			t.Errorf("%T became %v", err, got)
		}
	}
	if classify("/s", "do it", nil) != nil {
		t.Error("no error became one")
	}
	for _, c := range []struct {
		err  error
		code string
	}{
		{path(syscall.ENOSPC), "store_full"},
		{path(syscall.EDQUOT), "store_full"},
		{errors.New("meta 0 copy: write /s/x: no space left on device"), "store_full"},
		{path(syscall.EACCES), "store_read_only"},
		{path(syscall.EPERM), "store_read_only"},
		{path(syscall.EROFS), "store_read_only"},
	} {
		var p *event.Problem
		if got := classify("/s", "do it", c.err); !errors.As(got, &p) || p.Code != c.code {
			t.Errorf("%v became %v, want %s", c.err, got, c.code)
		}
	}
	got := classify("/s", "do it", path(syscall.EIO))
	if !errors.Is(got, syscall.EIO) || !strings.HasSuffix(got.Error(), "look at the disk, then try again") {
		t.Errorf("an unknown error became %v", got)
	}
}

// TestNoticesAreBounded tells more than anybody reads.
func TestNoticesAreBounded(t *testing.T) {
	n := &notices{}
	for i := range 2 * maxNotices {
		for range 2 { // the same thing again is nothing new
			n.notice("x", fmt.Sprint(i), "")
		}
	}
	got := n.all()
	diff(t, "number", len(got), maxNotices)
	diff(t, "newest", got[maxNotices-1].Message, fmt.Sprint(2*maxNotices-1))
	n.withdraw("x")
	diff(t, "settled", len(n.all()), 0)
}
