package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"hardshell/test/rig"
)

// What a user's group may have, as the agent's unit says it.
const (
	groupMemory = "512M"
	groupTasks  = "1024"
)

// delegate makes the group of an ordinary user's step and hands it over, as systemd
// does for a unit with Delegate=.
func delegate(s rig.Step) (*os.File, error) {
	dir := "/sys/fs/cgroup/" + strings.ReplaceAll(s.Name, "/", "-")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	var err error
	for file, most := range map[string]string{"memory.max": groupMemory, "pids.max": groupTasks} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, file), []byte(most), 0))
	}
	for _, file := range []string{"", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"} {
		err = errors.Join(err, os.Chown(filepath.Join(dir, file), s.As.User, s.As.User))
	}
	if err != nil {
		return nil, err
	}
	return os.Open(dir)
}
