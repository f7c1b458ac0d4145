package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Report is what this kernel can do for commands, found by doing it.
type Report struct {
	// Layers are those that a command gets here.
	Layers []string `json:"layers"`
	// Missing says which mandatory layer is not to be had, empty when all are.
	Missing string `json:"missing,omitempty"`
	// Mend is what gives the machine the missing layer, where that is known.
	Mend string `json:"mend,omitempty"`
	// Weaker is true when commands run all the same, because the operator chose so.
	Weaker bool `json:"weaker"`
	// NoGroup says why commands have no cgroup of their own, empty when they have.
	NoGroup string `json:"no_group,omitempty"`
	// Landlock is its version, 0 when this kernel is built without it.
	Landlock int    `json:"landlock"`
	Kernel   string `json:"kernel"`
	// User is whom commands run as.
	User int           `json:"user"`
	Took time.Duration `json:"took"` // of one empty sandbox
}

// Complete reports whether every mandatory layer holds commands.
func (r Report) Complete() bool { return r.Missing == "" && len(r.Layers) > 0 }

// String says it in a sentence.
func (r Report) String() string {
	switch {
	case r.Complete():
		var missing []string
		for _, l := range r.Each() {
			if l.State == "missing" {
				missing = append(missing, l.Name)
			}
		}
		if len(missing) == 0 {
			return "every layer holds"
		}
		return "every mandatory layer holds; this machine has no " + strings.Join(missing, ", no ")
	case r.Weaker:
		return "commands run in a weaker sandbox: " + r.Missing
	}
	return "commands can't run: " + r.Missing
}

// Probe builds an empty sandbox and tells what held it. A launcher that is told so
// remembers what it found.
func (l *Launcher) Probe(ctx context.Context) (Report, error) {
	r := Report{Landlock: landlockABI(), User: os.Geteuid(), Kernel: kernel(), NoGroup: l.groups().why}
	if l.noLandlock {
		r.Landlock = 0
	}
	x, err := l.Run(ctx, Spec{Timeout: 10 * time.Second, Judge: func(Start) error { return nil }})
	var missing *missingLayer
	switch {
	case errors.As(err, &missing):
		r.Missing, r.Mend = missing.Why, findCause("/", r.User).Mend
		return r, nil
	case err != nil:
		return r, fmt.Errorf("probe the sandbox: %w", err)
	}
	r.Layers, r.Missing, r.Weaker, r.Took = x.Layers, x.Weaker, x.Weaker != "", x.Took
	if r.Weaker {
		r.Mend = findCause("/", r.User).Mend
	}
	return r, nil
}

func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Machine[:])
}
