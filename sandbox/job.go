package sandbox

import (
	"encoding/json"
	"fmt"

	"golang.org/x/sys/unix"
)

// job is what the launcher tells the process that makes the sandbox. It travels in a
// pipe that is read to its end, never in arguments or environment.
type job struct {
	Path string   `json:"path"` // empty: build the sandbox, report, run nothing
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`

	System    []string `json:"system"`    // trees shown read-only, links kept as links
	Workspace string   `json:"workspace"` // writable
	Read      []string `json:"read"`
	Devices   []string `json:"devices"`
	Hidden    []string `json:"hidden"`
	Secret    []string `json:"secret"` // hidden, too, and there when the command was judged
	Pinned    []string `json:"pinned"`
	Locked    []string `json:"locked"`

	WritableRun bool   `json:"writable_run"`
	Limits      Limits `json:"limits"`
	Seconds     int64  `json:"seconds"` // processor time
	// Stdin is false when the command reads nothing.
	Stdin bool `json:"stdin"`
	// Supervised is true when the launcher wants to judge each program start.
	Supervised bool `json:"supervised"`
	// Group is true when the process already stands in a group of its own.
	Group bool `json:"group"`
	// Namespaces is false in the weaker sandbox; Landlock is false where a test
	// stands for a kernel without it.
	Namespaces bool `json:"namespaces"`
	Landlock   bool `json:"landlock"`
}

// report is one line from inside the sandbox.
type report struct {
	// Layers come once, before the command starts.
	Layers []string `json:"layers,omitempty"`
	// Missing says which layer could not be applied and why; nothing ran then.
	Missing string `json:"missing,omitempty"`
	// Problem says why the command did not start.
	Problem string `json:"problem,omitempty"`
	// Started is true once, when the command runs.
	Started bool `json:"started,omitempty"`
	// Ended comes last.
	Ended *ended `json:"ended,omitempty"`
}

type ended struct {
	Code   int `json:"code"`
	Signal int `json:"signal,omitempty"`
	// Left says that processes of it still ran, which end with it.
	Left bool `json:"left,omitempty"`
	// Crowded is true when it was ended because it had too many processes.
	Crowded bool `json:"crowded,omitempty"`
}

// The descriptors of the processes that make the sandbox. 0 is the command's stdin,
// 1 its output, 2 takes what these processes themselves say when they break.
const (
	fdJob    = 3
	fdReport = 4
	fdLife   = 5 // when it ends, so does everything
	fdDoor   = 6 // takes the listener of program starts, when the job says so
)

// readJob waits for the job; it is not wanted when the launcher has none. Descriptors are used by number throughout: an os.File
// that nobody holds any more would close its own at any time.
func readJob() (j job, wanted bool, err error) {
	var all []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(fdJob, buf)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return j, false, fmt.Errorf("read the job: %w", err)
		case n == 0 && len(all) == 0:
			return j, false, nil
		case n == 0:
			_ = unix.Close(fdJob)
			return j, true, json.Unmarshal(all, &j)
		}
		all = append(all, buf[:n]...)
	}
}

// tell sends one line to the launcher. With the launcher gone there is nobody to
// tell.
func tell(r report) {
	b, err := json.Marshal(r)
	if err != nil {
		panic("sandbox: internal error: " + err.Error())
	}
	for b = append(b, '\n'); len(b) > 0; {
		n, err := unix.Write(fdReport, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return
		}
		b = b[n:]
	}
}
