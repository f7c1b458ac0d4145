package sandbox

import (
	"time"
)

// Spec is one command to run. All paths are absolute.
type Spec struct {
	// Path is the program file, Argv its words; Argv[0] is what it is told its name
	// is.
	Path string
	Argv []string
	// Dir is the folder to start in; it must be what it was when it was judged.
	Dir string
	// Env is added to the fixed environment, one NAME=value each.
	Env   []string
	Stdin string
	// Open leaves stdin open behind Stdin, so that Running.Write can feed it.
	Open bool
	// Timeout ends the command; zero takes a minute.
	Timeout time.Duration
	// Devices are device nodes that the command may use besides the five that every
	// command has.
	Devices []string
	// Read are further files and folders that it may read.
	Read []string
	// Hidden are files and folders of the workspace that this command must not see,
	// besides those of the launcher. They must be there, and no links: where one is not,
	// nothing runs.
	Hidden []string
	// Pinned are folders of the workspace that this command can't rename or remove:
	// what is hidden in them would be found under another name, by this command or by
	// one that starts while this one runs.
	Pinned []string
	// Locked are files and folders of the workspace that this command can look at and
	// not change. They must be there, and no links: where one is not, nothing runs.
	Locked []string
	// WritableRun lets programs run that lie where the command can write.
	WritableRun bool
	// Judge is asked about each program that the command's tree starts, from one
	// goroutine; an error refuses the start (EACCES) and says why. Nil lets all of
	// them go on, unrecorded. A kernel that can't ask says so in the layers.
	Judge func(Start) error
	// Output receives both streams in order of arrival, from one goroutine.
	Output func(p []byte)
	// Started is told once that the command runs, before Run returns; it must not
	// wait. Nil: nobody wants to know.
	Started func(*Running)
}

// Exit is how a command ended.
type Exit struct {
	Code     int    // exit status, -1 when a signal ended it
	Signal   string // name of that signal
	TimedOut bool
	// Flooded is true when it was ended because it wrote more than Config.MaxOutput.
	Flooded bool
	// Layers names the confinement that was applied, in the order in which it was.
	Layers []string
	// Struck says which limits of its group the command ran into, a sentence each.
	Struck []string
	// Left says that it ended while processes that it had started still ran; they ended
	// with it.
	Left bool
	// Starts are the programs that it started or wanted to, when they were judged.
	Starts []Started
	// Weaker says in words which mandatory layer was missing; empty when none was.
	Weaker string
	Took   time.Duration
}

// Config is what all commands of a launcher have in common.
type Config struct {
	// Workspace is the folder that commands may write.
	Workspace string
	// Hidden are folders and files that commands must never see, even where they
	// lie in the workspace: state, config, policy.
	Hidden []string
	// Read are trees that commands may read besides the system's.
	Read []string
	// WeakerOK runs commands also where a mandatory layer is missing.
	WeakerOK bool
	// Limits of one command; zero values take defaultLimits.
	Limits Limits
	// Spare keeps an empty sandbox ready after each command, two small processes, so
	// that the next command starts at once. Close ends it.
	Spare bool
	// MaxOutput ends a command that writes more, in bytes; zero takes 256 MiB.
	MaxOutput int64
}

// Limits are the resource limits of a command. Where the agent has a cgroup v2 group
// of its own, Memory and Processes bound all processes of the command together, the
// two that make its sandbox included; elsewhere each process, or the user.
type Limits struct {
	Memory    int64 // bytes, of private data where it is one process's
	FileSize  int64 // bytes of one file
	Processes int64 // processes and threads; where it is the user's, it does not bind root
	OpenFiles int64
	Tmp       int64 // bytes of the private /tmp
	// CPUs are processors' worth of time, such as 1.5; 0 is all of them, as it is
	// where there is no group.
	CPUs float64
}

// defaultLimits suit a board with 8 GB that also holds a model.
func defaultLimits() Limits {
	return Limits{Memory: 2 << 30, FileSize: 1 << 30, Processes: 512, OpenFiles: 1024, Tmp: 128 << 20}
}

func (l Limits) orDefault() Limits {
	d := defaultLimits()
	for _, f := range []struct{ have, def *int64 }{
		{&l.Memory, &d.Memory},
		{&l.FileSize, &d.FileSize},
		{&l.Processes, &d.Processes},
		{&l.OpenFiles, &d.OpenFiles},
		{&l.Tmp, &d.Tmp},
	} {
		if *f.have <= 0 {
			*f.have = *f.def
		}
	}
	return l
}

// The layers, as results and the audit name them.
const (
	layerEnv      = "env"       // fixed environment, no terminal, closed descriptors
	layerSession  = "session"   // a session and process group of its own
	layerUser     = "user"      // user namespace
	layerMount    = "mount"     // mount namespace with an allow-listed root
	layerPID      = "pid"       // process namespace: the tree dies as a whole
	layerNet      = "net"       // network namespace without a network
	layerIPC      = "ipc"       // shared memory and host name of its own
	layerRlimits  = "rlimits"   // resource limits of each process
	layerNoGroup  = "no-cgroup" // said where there is no group: nothing bounds a command's processes together
	layerCgroup   = "cgroup"    // memory and processes of the whole tree, in a group that is killed as one
	layerCaps     = "caps"      // no capabilities, no way to new ones
	layerNoPrivs  = "no-privs"  // no_new_privs
	layerSeccomp  = "seccomp"   // system call filter, foreign architectures killed
	layerStarts   = "starts"    // each program start of the tree is judged and on record
	layerNoStarts = "no-starts" // said where this kernel can't do that
	layerLandlock = "landlock"  // second fence around files; with its version
)

// environment is what every command gets, and nothing else: programs are looked for
// in system folders only, and what would open an editor, a pager or a question for
// a password does nothing instead.
func environment(home string) []string {
	return []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=" + home, "LANG=C.UTF-8", "TERM=dumb",
		"PAGER=cat", "GIT_PAGER=cat", "SYSTEMD_PAGER=", "EDITOR=true", "VISUAL=true", "GIT_EDITOR=true",
		"GIT_TERMINAL_PROMPT=0", "DEBIAN_FRONTEND=noninteractive",
	}
}
