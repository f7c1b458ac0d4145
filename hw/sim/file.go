package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// mostBytes bounds the state file, which has some hundred bytes.
const mostBytes = 1 << 20

// load reads the world; a file that is not there yet is a fresh one.
func load(path string) (World, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh(), nil
	}
	if err != nil {
		return World{}, fmt.Errorf("the simulated board's file can't be read: %w; make it readable or name another state folder", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return World{}, fmt.Errorf("the simulated board's file can't be read: %w; try again", err)
	}
	w, err := parse(data)
	if err != nil {
		return World{}, fmt.Errorf("%s is no simulated board: %w; correct it, or remove it for a fresh one", path, err)
	}
	return w, nil
}

// parse understands a state file. What it leaves out is as in a fresh world.
func parse(data []byte) (World, error) {
	if len(data) > mostBytes {
		return World{}, fmt.Errorf("it has more than %d bytes", mostBytes)
	}
	w := fresh()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return World{}, err
	}
	if d.More() {
		return World{}, errors.New("something follows its JSON object")
	}
	known := fresh()
	for _, n := range w.names() {
		if _, ok := known.find(n); !ok {
			return World{}, fmt.Errorf("it has no reading %q", n)
		}
	}
	if w.Off == nil {
		w.Off = map[string]string{}
	}
	return w, w.check()
}

// change reads the world, changes it and replaces the file, while nobody else
// does.
func change(path string, do func(w *World) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("the simulated board's folder can't be made: %w; name another state folder", err)
	}
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("the simulated board can't be locked: %w; name another state folder", err)
	}
	defer lock.Close() // lets the lock go
	for {
		if err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("the simulated board can't be locked: %w; name another state folder", err)
	}
	w, err := load(path)
	if err != nil {
		return err
	}
	if err := do(&w); err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	data, err := json.MarshalIndent(w, "", "  ")
	if err != nil {
		return fmt.Errorf("the simulated board can't be written: %w; report this as a fault of hardshell", err)
	}
	if err := renameio.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("the simulated board can't be written: %w; nothing was changed, make room and try again", err)
	}
	return nil
}
