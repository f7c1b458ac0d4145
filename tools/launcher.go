package tools

import (
	"context"
	"slices"
	"syscall"
	"time"
)

// Launcher runs one command, confined. Implemented by package sandbox.
type Launcher interface {
	Run(ctx context.Context, c Command) (Exit, error)
}

// Command is one program to run. Nothing of the agent's own environment reaches
// it.
type Command struct {
	Path string   // the resolved program
	Argv []string // argv[0] as the model wrote it
	Dir  string
	Env  []string
	// Stdin is given to the program; empty: it reads nothing, unless Open leaves its
	// stdin open for Live.Write.
	Stdin   string
	Open    bool
	Timeout time.Duration
	// Devices are device nodes, Read files and folders (read only) that the command
	// may reach besides what every command may.
	Devices, Read []string
	// Hidden are files and folders of the workspace that the command must not see.
	Hidden []string
	// Pinned are the folders above them, which the command must not rename or remove: the
	// next one would look for what is to be hidden by the old name.
	Pinned []string
	// Locked are repositories that the command must not change.
	Locked []string
	// WritableRun lets programs run that lie where the command can write: policy
	// judged one of them.
	WritableRun bool
	// Start judges each program that the command starts by itself; nil: nobody does.
	Start func(Start) error
	// Output receives what the program writes, both streams in order of
	// arrival. It is called from one goroutine at a time.
	Output func(p []byte)
	// Started, when set, is told once that the program runs, before Run returns.
	Started func(Started)
}

// Started is a program that runs.
type Started struct {
	Live   Live
	Holder Holder
	Layers []string
	Weaker string
}

// Live reaches a program while it runs. Its methods may be called at any time; each
// waits a few seconds at most.
type Live interface {
	// Write feeds its stdin and gives how many bytes it took.
	Write(p []byte) (int, error)
	CloseInput() error
	// Signal reaches the program's group, as from a terminal.
	Signal(s syscall.Signal) error
}

// Holder names the process that holds a program's tree, over restarts of the agent:
// when it ends, so does the tree.
type Holder struct {
	PID int `json:"pid"`
	// Start is when it began, in clock ticks since the boot, and Boot which boot that
	// was: a number that is used again is another process.
	Start uint64 `json:"start"`
	Boot  string `json:"boot"`
}

// Exit is how a command ended.
type Exit struct {
	Code     int    // exit status, -1 when a signal ended it
	Signal   string // name of that signal
	TimedOut bool
	Flooded  bool     // it was ended because it wrote more than any limit
	Layers   []string // confinement that applied
	// Struck are limits that it ran into and what the person must know of its doings, a
	// sentence each.
	Struck []string
	// Starts are the programs that it started by itself, as one line each, Refused
	// those that it was kept from starting.
	Starts, Refused []string
	// Weaker says in words what confinement is missing although it is expected;
	// empty when nothing is.
	Weaker string
	Took   time.Duration
}

// AllStarts are the programs that a command started or wanted to, for the record.
func (x Exit) AllStarts() []string { return slices.Concat(x.Starts, x.Refused) }
