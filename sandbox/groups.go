package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// groups is the part of the cgroup v2 tree in which commands get groups of their
// own.
type groups struct {
	dir string // commands get folders here; empty: there are no groups
	why string // why not, in words
	cpu bool   // the cpu controller is there as well
	// memory and pids are what all commands together may have, 0 for no bound.
	memory, pids int64
	made         atomic.Int64
}

// Kept for the agent itself of a group that has bounds of its own: commands can't
// take its last memory or its last thread.
const (
	agentMemory = 64 << 20
	agentPids   = 64
)

// place is where to look; tests have their own.
type place struct {
	proc string // /proc/self
	// mine reports a process that belongs to this one.
	mine func(pid int) bool
}

// ourGroups finds the groups once: afterwards this process has moved.
var ourGroups = sync.OnceValue(func() *groups {
	return findGroups(place{proc: "/proc/self", mine: func(pid int) bool {
		return pid == os.Getpid() || slices.Contains(descendants(), pid)
	}})
})

// findGroups looks for a group that commands may have: the agent's own, when it was
// delegated to it and nobody else is in it, or, for root, one at the top of the tree.
func findGroups(at place) *groups {
	top, own, err := at.group()
	if err != nil {
		return &groups{why: err.Error()}
	}
	have := words(filepath.Join(own, "cgroup.controllers"))
	if !slices.Contains(have, "memory") || !slices.Contains(have, "pids") {
		return &groups{why: fmt.Sprintf("the cgroup v2 tree of this machine has no memory and pids controllers here (it has %s)", orNone(have))}
	}
	g := &groups{cpu: slices.Contains(have, "cpu")}
	switch err := at.settle(own); {
	case err == nil:
		g.dir, g.memory, g.pids = filepath.Join(own, "commands"), rest(own, "memory.max", agentMemory), rest(own, "pids.max", agentPids)
	case os.Geteuid() == 0:
		own, g.dir = top, filepath.Join(top, "hardshell")
	default:
		return &groups{why: err.Error()}
	}
	if err := g.make(own); err != nil {
		return &groups{why: err.Error()}
	}
	g.sweep()
	return g
}

// group gives the top of the cgroup v2 tree and this process's own group in it.
func (at place) group() (top, own string, err error) {
	info, err := os.ReadFile(filepath.Join(at.proc, "mountinfo"))
	if err != nil {
		return "", "", fmt.Errorf("the mounts can't be read: %w", err)
	}
	root := ""
	for line := range strings.Lines(string(info)) {
		before, after, _ := strings.Cut(line, " - ")
		if f := strings.Fields(before); strings.HasPrefix(after, "cgroup2 ") && len(f) > 4 {
			root, top = f[3], f[4]
		}
	}
	if top == "" {
		return "", "", errors.New("no cgroup v2 tree is mounted")
	}
	mine, err := os.ReadFile(filepath.Join(at.proc, "cgroup"))
	if err != nil {
		return "", "", fmt.Errorf("the agent's group can't be read: %w", err)
	}
	for line := range strings.Lines(string(mine)) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::")
		if rel, err := filepath.Rel(root, path); ok && err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return top, filepath.Join(top, rel), nil
		}
	}
	return "", "", errors.New("the agent's group lies outside of the cgroup v2 tree that it sees")
}

// settle moves this process into a leaf of its own group, so that the group can be
// divided.
func (at place) settle(own string) error {
	for _, f := range []string{"", "cgroup.procs", "cgroup.subtree_control"} {
		if err := unix.Access(filepath.Join(own, f), unix.W_OK); err != nil {
			return fmt.Errorf("the group %s is not delegated to the agent (Delegate=memory pids cpu in its unit): %w", own, err)
		}
	}
	inside := words(filepath.Join(own, "cgroup.procs"))
	for _, p := range inside {
		if pid, err := strconv.Atoi(p); err != nil || !at.mine(pid) {
			return fmt.Errorf("the group %s also holds process %s, which is not the agent's; run it as a unit with Delegate=memory pids cpu", own, p)
		}
	}
	leaf := filepath.Join(own, "agent")
	if err := os.Mkdir(leaf, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make a group for the agent: %w", err)
	}
	for _, p := range inside {
		if err := write(leaf, "cgroup.procs", p); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("move process %s into the agent's group: %w", p, err)
		}
	}
	return nil
}

// make makes the folder of all commands' groups.
func (g *groups) make(parent string) error {
	if err := g.divide(parent); err != nil {
		return err
	}
	if err := os.Mkdir(g.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make a group for commands: %w", err)
	}
	for file, most := range map[string]int64{"memory.max": g.memory, "pids.max": g.pids} {
		if most > 0 {
			if err := write(g.dir, file, strconv.FormatInt(most, 10)); err != nil {
				return fmt.Errorf("bound all commands: %w", err)
			}
		}
	}
	return g.divide(g.dir)
}

// divide passes the controllers on to the groups below one.
func (g *groups) divide(dir string) error {
	add := []string{"memory", "pids"}
	if g.cpu {
		add = append(add, "cpu")
	}
	have := words(filepath.Join(dir, "cgroup.subtree_control"))
	for _, c := range add {
		if slices.Contains(have, c) {
			continue
		}
		if err := write(dir, "cgroup.subtree_control", "+"+c); err != nil {
			return fmt.Errorf("divide the group %s: %w", dir, err)
		}
	}
	return nil
}

// sweep removes groups of agents that are gone.
func (g *groups) sweep() {
	old, err := filepath.Glob(filepath.Join(g.dir, "command-*-*"))
	if err != nil {
		return
	}
	for _, dir := range old {
		pid, err := strconv.Atoi(strings.Split(filepath.Base(dir), "-")[1])
		if err == nil && errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			_ = unix.Rmdir(dir) // one that is still in use can't be removed
		}
	}
}
