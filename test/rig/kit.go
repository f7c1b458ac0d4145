package rig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
)

// kit is what the setup script brought: kernel, modules, system.
type kit struct {
	dir    string
	kernel string // its release
}

// none says why this machine can't have the rig.
type none struct{ why string }

func (n *none) Error() string { return "the ARM64 rig can't be had here: " + n.why }

// cantHave is the setup script's status for a machine that can't have the rig.
const cantHave = 3

// setup runs the setup script: a minute or two on a new machine, no time after that.
func setup(ctx context.Context, progress io.Writer) (kit, error) {
	_, here, _, _ := goruntime.Caller(0)
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(here), "setup"))
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(progress, &said)
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == cantHave:
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return kit{}, &none{strings.TrimPrefix(lines[len(lines)-1], "rig setup: ")}
	case err != nil:
		return kit{}, fmt.Errorf("test/rig/setup: %w\n%s", err, said.String())
	}
	var k kit
	for line := range strings.Lines(out.String()) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), "="); key {
		case "RIG_KIT":
			k.dir = value
		case "RIG_KERNEL":
			k.kernel = value
		}
	}
	return k, nil
}

// initramfs packs process 1, the modules and the plan.
func (k kit) initramfs(guest string, plan []byte) ([]byte, error) {
	entries := []entry{{name: "modules", mode: os.ModeDir | 0o755}}
	files := map[string]string{"init": guest}
	dir := filepath.Join(k.dir, "modules")
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		files["modules/"+f.Name()] = filepath.Join(dir, f.Name())
	}
	for name, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name, 0o755, data})
	}
	return archive(append(entries, entry{PlanFile[1:], 0o644, plan})), nil
}
