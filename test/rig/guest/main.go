// Command guest is process 1 of the ARM64 rig's virtual machine, the unit that takes
// its place where systemd has it, and the wrapper that makes the kernel look as old
// as the board's.
//
// It owns the way from a bare kernel to the end of the plan: modules, disks,
// mounts, one program after the other, power off. It refuses to run as any other
// process. Everything that it has to say goes to the console in the lines that
// test/rig documents; the programs' own words go there as they come.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hardshell/test/rig"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == roleOld {
		fmt.Fprintln(os.Stderr, old(os.Args[2:]))
		os.Exit(125)
	}
	begin := live
	switch {
	case len(os.Args) == 2 && os.Args[1] == roleUnit:
		begin = follow
	case os.Getpid() != 1:
		fmt.Fprintln(os.Stderr, "guest: this is process 1 of a virtual machine; run make rig")
		os.Exit(2)
	}
	if err := begin(); err != nil {
		mark("broken %v", err)
	} else {
		mark("off")
	}
	unix.Sync()
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// mark writes a line of the protocol.
func mark(format string, args ...any) { fmt.Printf("\n"+rig.Mark+format+"\n", args...) }

// live brings the machine up and follows the plan, or has systemd do so.
func live() error {
	text, err := os.ReadFile(rig.PlanFile)
	if err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	if err := bringUp(); err != nil {
		return err
	}
	if err := os.WriteFile(rig.PlanFile, text, 0o644); err != nil {
		return fmt.Errorf("take the plan along: %w", err)
	}
	plan, err := read()
	if err != nil {
		return err
	}
	if plan.Systemd {
		return handOver()
	}
	if err := loopback(); err != nil {
		return fmt.Errorf("bring the loopback interface up: %w", err)
	}
	if err := os.WriteFile("/sys/fs/cgroup/cgroup.subtree_control", []byte("+memory +pids +cpu"), 0); err != nil {
		return err
	}
	return follow()
}

// read gives the plan.
func read() (rig.Plan, error) {
	var plan rig.Plan
	text, err := os.ReadFile(rig.PlanFile)
	if err == nil {
		err = json.Unmarshal(text, &plan)
	}
	if err != nil {
		return plan, fmt.Errorf("read the plan: %w", err)
	}
	return plan, nil
}

// follow does what the plan says, on a machine that is up.
func follow() error {
	plan, err := read()
	if err != nil {
		return err
	}
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return fmt.Errorf("ask for the kernel's name: %w", err)
	}
	lsm, err := os.ReadFile("/sys/kernel/security/lsm")
	if err != nil {
		return fmt.Errorf("read the security modules: %w", err)
	}
	mark("boot %s %s", unix.ByteSliceToString(u.Release[:]), lsm)
	for _, s := range plan.Steps {
		mark("begin %s", s.Name)
		began := time.Now()
		status := run(s)
		mark("end %s %d %d", s.Name, status, time.Since(began).Milliseconds())
	}
	return nil
}

// run runs one step and gives its exit status: 124 when it took too long.
func run(s rig.Step) int {
	argv := s.Argv
	if s.As.Old {
		argv = append([]string{rig.Guest, roleOld}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.Dir, os.Stdout, os.Stdout
	cmd.Env = []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "TMPDIR=/tmp",
		"HARDSHELL_AGENT=" + rig.Agent, "HARDSHELL_THROWAWAY=yes", "HOME=/root",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if s.As.User != 0 {
		id := uint32(s.As.User)
		cmd.Env[len(cmd.Env)-1] = "HOME=/home/agent"
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: id, Gid: id}
		group, err := delegate(s)
		if err != nil {
			fmt.Println(err)
			return 125
		}
		defer group.Close()
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(group.Fd())
	}
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
		return 125
	}
	late := time.AfterFunc(time.Duration(s.Limit)*time.Second, func() {
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGQUIT) // a Go program says where it stands
		time.AfterFunc(10*time.Second, func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) })
	})
	err := cmd.Wait()
	if !late.Stop() {
		return 124
	}
	if err != nil && cmd.ProcessState == nil {
		fmt.Println(strings.TrimSpace(err.Error()))
		return 125
	}
	return cmd.ProcessState.ExitCode()
}
