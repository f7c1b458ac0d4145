package jetson

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hardshell/hw"
)

// The recorded trees.
const (
	r36  = "orin-nano-super-r36"
	r39  = "orin-nano-super-r39"
	none = "no-jetson"
)

// altered is a tree in which some files answer as a test wants.
type altered struct {
	fs.FS
	answers map[string]func() ([]byte, error)
}

func (a altered) ReadFile(name string) ([]byte, error) {
	if answer := a.answers[name]; answer != nil {
		return answer()
	}
	return fs.ReadFile(a.FS, name)
}

func (a altered) ReadDir(name string) ([]fs.DirEntry, error) {
	if answer := a.answers[name]; answer != nil {
		_, err := answer()
		return nil, err
	}
	return fs.ReadDir(a.FS, name)
}

// says answers with a text.
func says(text string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(text), nil }
}

// fails answers with an error, as the os package dresses it.
func fails(err error) func() ([]byte, error) {
	return func() ([]byte, error) { return nil, &fs.PathError{Op: "read", Path: "x", Err: err} }
}

// zone is the temp file of the n-th zone.
func zone(n string) string { return thermalClass + "/thermal_zone" + n + "/temp" }

// blocksOff makes cv0 to cv2 answer as an Orin Nano does while they are off.
func blocksOff() map[string]func() ([]byte, error) {
	return map[string]func() ([]byte, error){
		zone("2"): fails(syscall.EAGAIN), zone("3"): fails(syscall.EAGAIN), zone("4"): fails(syscall.EAGAIN),
	}
}

// board opens a recorded tree with changes.
func board(t *testing.T, name string, answers map[string]func() ([]byte, error)) *Board {
	t.Helper()
	root := filepath.Join("testdata", name)
	model, err := os.ReadFile(filepath.Join(root, "proc/device-tree/model"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(altered{Tree(root), answers}, strings.TrimRight(string(model), "\x00\n"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read looks at the board once. A bubble is the place to do it: there a busy machine
// does not use up the limit.
func read(t *testing.T, b *Board) hw.Readings {
	t.Helper()
	r, err := b.Sensors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
