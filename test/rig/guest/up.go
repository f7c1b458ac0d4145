package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"hardshell/test/rig"
)

// bringUp makes a system of the two disks: the small Debian becomes the root.
// Programs under test need pivot_root, which the kernel refuses where the root is
// still the initramfs.
func bringUp() error {
	if err := modules(); err != nil {
		return err
	}
	if err := mount("devtmpfs", "/dev", "devtmpfs"); err != nil {
		return err
	}
	if err := mount("sysfs", "/sys", "sysfs"); err != nil {
		return err
	}
	const root = "/system"
	for _, d := range []struct{ serial, at string }{{rig.SystemDisk, root}, {rig.WorkDisk, root + rig.Mount}} {
		node, err := disk(d.serial)
		if err != nil {
			return err
		}
		if err := mount(node, d.at, "ext4"); err != nil {
			return err
		}
	}
	for _, f := range []struct{ kind, at string }{
		{"proc", "/proc"},
		{"sysfs", "/sys"},
		{"devtmpfs", "/dev"},
		{"tmpfs", "/run"},
		{"cgroup2", "/sys/fs/cgroup"},
		{"securityfs", "/sys/kernel/security"},
	} {
		if err := mount(f.kind, root+f.at, f.kind); err != nil {
			return err
		}
	}
	return enter(root)
}

// disk is the node of the disk with a serial number.
func disk(serial string) (string, error) {
	list, err := filepath.Glob("/sys/block/*/serial")
	if err != nil {
		return "", err
	}
	for _, f := range list {
		b, err := os.ReadFile(f)
		if err == nil && strings.TrimSpace(string(b)) == serial {
			return "/dev/" + filepath.Base(filepath.Dir(f)), nil
		}
	}
	return "", fmt.Errorf("none of the disks is the one called %s: %v", serial, list)
}

// mount mounts and makes the folder for it.
func mount(from, at, kind string) error {
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(from, at, kind, 0, ""); err != nil {
		return fmt.Errorf("mount %s on %s: %w", from, at, err)
	}
	return nil
}

// enter makes a mounted folder the root of everything.
func enter(root string) error {
	return errors.Join(unix.Chdir(root), unix.Mount(".", "/", "", unix.MS_MOVE, ""), unix.Chroot("."), unix.Chdir("/"))
}

// modules loads what stands in /modules, in its order.
func modules() error {
	order, err := os.ReadFile("/modules/order")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(string(order)) {
		f, err := os.Open("/modules/" + name)
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(f.Fd()), "", 0)
		_ = f.Close()
		if err != nil {
			return fmt.Errorf("load %s: %w", name, err)
		}
	}
	return nil
}

// loopback brings the interface up over which programs of one machine talk.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}
