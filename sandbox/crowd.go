package sandbox

import (
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// crowdPoll is the pause between two counts. A command that starts processes as fast as
// it can gets some hundreds above its limit in that time, and is ended with all of them.
const crowdPoll = 10 * time.Millisecond

// crowded is set when a command was ended because it had too many processes.
var crowded atomic.Bool

// boundCrowd begins to watch the number of processes where nothing else bounds it.
func boundCrowd(j *job) {
	if j.Namespaces && !j.Group && os.Geteuid() == 0 {
		go watchCrowd(j.Limits.Processes)
	}
}

// watchCrowd bounds the number of processes where neither a cgroup does nor the kernel,
// which counts none of root: as process 1 it sees all that the command started, and ends
// all of it at once. The command may have most processes; this one is not counted.
func watchCrowd(most int64) {
	for {
		time.Sleep(crowdPoll)
		if countProcesses() > most {
			crowded.Store(true)
			_ = unix.Kill(-1, unix.SIGKILL) // again at the next count where that was not all
		}
	}
}

// countProcesses counts the others in this process namespace; 0 where /proc can't be read.
func countProcesses() int64 {
	d, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return 0
	}
	n := int64(-1)
	for _, name := range names {
		if name[0] >= '1' && name[0] <= '9' {
			n++
		}
	}
	return n
}
