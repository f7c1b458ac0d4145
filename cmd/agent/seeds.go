package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hardshell/cmd/agent/app"
	"hardshell/runtime/event"
)

// seeds is the record of the workspaces that were ever begun, in a state folder: one
// path a line. What a first conversation agreed on may be all gone from the workspace;
// that it was held is known here.
type seeds struct{ state string }

func (s seeds) file() string { return filepath.Join(s.state, "workspaces") }

// has tells whether a workspace is on record.
func (s seeds) has(dir string) (bool, error) {
	old, err := os.ReadFile(s.file())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, event.Errorf("init", "name a folder that you may read and write with --state", "the record of workspaces can't be read: %v", err)
	}
	return slices.Contains(strings.Split(string(old), "\n"), app.Real(dir)), nil
}

// add puts a workspace on record. Lines of other processes stay.
func (s seeds) add(dir string) error {
	err := os.MkdirAll(s.state, 0o700)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(s.file(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err == nil {
		_, err = f.WriteString(app.Real(dir) + "\n")
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		return event.Errorf("init", "name a folder that you may write with --state, and run it again: what was written stays", "it can't be put on record that the workspace was begun: %v", err)
	}
	return nil
}
