package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// machine is one virtual machine.
type machine struct {
	kit  kit
	work string // the work disk
	// guest is process 1, a program of the host's file system.
	guest string
	// args are added to the kernel's command line.
	args string
	plan Plan
}

// boot runs the plan and gives what the console said. dir is for the machine's
// own files.
func (m machine) boot(ctx context.Context, dir string) (console, error) {
	plan, err := json.Marshal(m.plan)
	if err != nil {
		return console{}, err
	}
	init, err := m.kit.initramfs(m.guest, plan)
	if err != nil {
		return console{}, err
	}
	initrd, log := filepath.Join(dir, "initrd"), filepath.Join(dir, "console")
	if err := os.WriteFile(initrd, init, 0o644); err != nil {
		return console{}, err
	}
	out, err := os.Create(log)
	if err != nil {
		return console{}, err
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, "qemu-system-aarch64", m.words(initrd)...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // never left behind
	cmd.WaitDelay = 5 * time.Second
	ran := cmd.Run()
	text, err := os.ReadFile(log)
	if err != nil {
		return console{}, err
	}
	c := read(string(text))
	switch {
	case ctx.Err() != nil:
		return c, fmt.Errorf("the machine did not end in time: %w", context.Cause(ctx))
	case ran != nil:
		return c, fmt.Errorf("qemu-system-aarch64: %w", ran)
	case c.broken != "":
		return c, errors.New(c.broken)
	}
	return c, nil
}

// words are those of the emulator. The processor is the board's next relative that
// the emulator has; a second core would slow the first one on a small host. Both
// disks go back to what they were.
func (m machine) words(initrd string) []string {
	words := []string{
		"-M", "virt", "-cpu", "cortex-a76", "-smp", "1", "-m", "1536",
		"-display", "none", "-monitor", "none", "-serial", "stdio", "-nic", "none", "-no-reboot",
		"-kernel", filepath.Join(m.kit.dir, "vmlinuz"), "-initrd", initrd,
		"-append", "console=ttyAMA0 quiet loglevel=1 panic=-1 systemd.show_status=no rdinit=/init " + m.args,
	}
	for _, d := range [][2]string{{WorkDisk, m.work}, {SystemDisk, filepath.Join(m.kit.dir, "system.ext4")}} {
		words = append(words,
			"-drive", fmt.Sprintf("if=none,id=%s,format=raw,snapshot=on,cache=unsafe,file=%s", d[0], d[1]),
			"-device", fmt.Sprintf("virtio-blk-device,drive=%s,serial=%s", d[0], d[0]))
	}
	return words
}
