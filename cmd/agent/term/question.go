package term

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"hardshell/runtime/event"
	"hardshell/tools"
	"hardshell/tools/text"
)

// Ask shows a question to a person. It is printed as one block before anything
// is read, so that what is answered is what stands on the screen.
func (v *Voice) Ask(a event.Approval, now time.Time) {
	v.Say(warn, "question %s: may %s do this?", OneLine(a.ID, 20), OneLine(a.Tool, 40))
	v.Say(bold, "  %s", wholeLine(a.Subject))
	if n := utf8.RuneCountInString(a.Subject); n > longAction {
		v.Say(warn, "  that is %d characters, from the line that begins with %s question %s: read them all", n, Mark, OneLine(a.ID, 20))
	}
	v.Say(Dim, "  %s: %s", OrNone(OneLine(a.Rule, 80)), OneLine(a.Reason, 400))
	if left := a.Deadline.Sub(now); !a.Deadline.IsZero() && left > 0 {
		v.Say(Dim, "  open for %s, then it counts as denied", text.Span(left.Round(time.Second)))
	}
	v.Prompt(a.Standing)
}

// longAction is how many characters of an action may leave the beginning of its question
// off a small screen.
const longAction = 1000

// Prompt asks for the answer.
func (v *Voice) Prompt(standing bool) {
	always := ""
	if standing {
		always = "[a]lways, "
	}
	fmt.Fprintf(v.err, "%s   [o]nce, for this [s]ession, %sor [d]eny: ", Mark, always)
}

// AnswerOf turns what a person typed into an answer, empty when it is none. An
// empty line denies: Enter must never allow anything.
func AnswerOf(line string, standing bool) string {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "o", "once", "y", "yes":
		return string(tools.AnswerOnce)
	case "s", "session":
		return string(tools.AnswerSession)
	case "a", "always":
		if standing {
			return string(tools.AnswerAlways)
		}
	case "", "d", "deny", "n", "no":
		return string(tools.AnswerDeny)
	}
	return ""
}

// DropTyped throws away what was typed so far, so that no earlier word can become an
// answer to a question that is yet to be shown.
func DropTyped(in *os.File) {
	_ = unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH) // what is no terminal has nothing to forget
}

// ReadAnswer reads one line. It gives up when ctx ends.
func ReadAnswer(ctx context.Context, in *os.File) (string, error) {
	fd := int(in.Fd())
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	defer w.Close()
	stop := context.AfterFunc(ctx, func() { _, _ = w.Write([]byte{0}) })
	defer stop()
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(r.Fd()), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); err == unix.EINTR {
			continue
		} else if err != nil {
			return "", err
		}
		if fds[1].Revents != 0 {
			return "", context.Cause(ctx)
		}
		buf := make([]byte, 4096)
		n, err := in.Read(buf)
		if n == 0 && err == nil {
			err = io.EOF
		}
		return string(buf[:n]), err
	}
}
