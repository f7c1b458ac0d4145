package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// group is what one command and all that it starts live in.
type group struct {
	dir    string
	fd     int
	limits Limits
}

// command makes a group with its limits. It is nil where there are none.
func (g *groups) command(l Limits) (_ *group, err error) {
	if g.dir == "" {
		return nil, nil
	}
	c := &group{dir: filepath.Join(g.dir, fmt.Sprintf("command-%d-%d", os.Getpid(), g.made.Add(1))), fd: -1, limits: l}
	if g.memory > 0 {
		c.limits.Memory = min(l.Memory, g.memory)
	}
	if g.pids > 0 {
		c.limits.Processes = min(l.Processes, g.pids)
	}
	defer func() {
		if err != nil {
			c.close()
			err = fmt.Errorf("make a group for the command: %w; look at %s", err, g.dir)
		}
	}()
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		return nil, err
	}
	settings := [][2]string{
		{"memory.max", strconv.FormatInt(c.limits.Memory, 10)},
		{"memory.oom.group", "1"},
		{"pids.max", strconv.FormatInt(c.limits.Processes, 10)},
	}
	if _, err := os.Lstat(filepath.Join(c.dir, "memory.swap.max")); err == nil {
		settings = append(settings, [2]string{"memory.swap.max", "0"})
	}
	if g.cpu && l.CPUs > 0 {
		settings = append(settings, [2]string{"cpu.max", fmt.Sprintf("%d 100000", int64(l.CPUs*100_000))})
	}
	for _, s := range settings {
		if err := write(c.dir, s[0], s[1]); err != nil {
			return nil, err
		}
	}
	c.fd, err = unix.Open(c.dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return c, err
}

// kill ends all that is in the group. Kernels before 5.14 can't; there the process
// namespace alone ends the tree.
func (c *group) kill() {
	if c != nil {
		_ = write(c.dir, "cgroup.kill", "1")
	}
}

// struck tells which limits the command ran into.
func (c *group) struck() []string {
	if c == nil {
		return nil
	}
	var out []string
	if count(c.dir, "memory.events", "oom_kill") > 0 {
		out = append(out, fmt.Sprintf("it was ended because it needed more memory than exec.memory lets it have, %d MiB", c.limits.Memory>>20))
	}
	if count(c.dir, "pids.events", "max") > 0 {
		out = append(out, fmt.Sprintf("it could not start more processes: exec.processes lets it have %d", c.limits.Processes))
	}
	return out
}

// close ends what is left and removes the group. What the kernel can't let go of in
// time is removed by the next agent.
func (c *group) close() {
	if c == nil {
		return
	}
	if c.fd >= 0 {
		_ = unix.Close(c.fd)
	}
	for late := time.Now().Add(graceKill); unix.Rmdir(c.dir) == unix.EBUSY && time.Now().Before(late); {
		c.kill()
		time.Sleep(5 * time.Millisecond)
	}
}

// rest is what a limit of the group leaves when the agent has its share, 0 where
// there is no limit.
func rest(dir, file string, share int64) int64 {
	b, err := os.ReadFile(filepath.Join(dir, file))
	n, err2 := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil || err2 != nil {
		return 0
	}
	return max(n-share, n/2, 1)
}

// count reads one number of a file of events.
func count(dir, file, name string) int {
	b, _ := os.ReadFile(filepath.Join(dir, file)) // a file that is not there counts nothing
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(v)) // the kernel writes numbers
			return n
		}
	}
	return 0
}

// words reads a file of words; one that can't be read has none.
func words(path string) []string {
	b, _ := os.ReadFile(path)
	return strings.Fields(string(b))
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// write writes one setting, never making a file.
func write(dir, file, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	return nil
}
