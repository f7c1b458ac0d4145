package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"hardshell/test/rig"
)

// roleUnit is the only word of the guest as a unit of systemd.
const roleUnit = "__unit"

// unit follows the plan on a system that is up. It has the console for itself.
const unit = `[Unit]
Description=The plan of the ARM64 rig
After=multi-user.target
[Service]
ExecStart=` + rig.Guest + ` ` + roleUnit + `
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
`

// handOver makes systemd process 1, with the plan as a unit of it. It comes back only
// when that fails.
func handOver() error {
	const units = "/etc/systemd/system/"
	err := errors.Join(
		os.WriteFile("/etc/machine-id", []byte("5f0c6a1e2b7d4c3a9e8f7a6b5c4d3e2f\n"), 0o444), // else it asks for a root password
		os.MkdirAll(units+"multi-user.target.wants", 0o755),
		os.WriteFile(units+"rig.service", []byte(unit), 0o644),
		os.Symlink(units+"rig.service", units+"multi-user.target.wants/rig.service"),
		os.Symlink("/dev/null", units+"getty.target"),
	)
	if err != nil {
		return err
	}
	return unix.Exec("/sbin/init", []string{"/sbin/init"}, []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"})
}
