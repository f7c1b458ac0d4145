package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	goruntime "runtime"
	"strings"
	"syscall"

	"hardshell/sandbox/seccomp"

	"golang.org/x/sys/unix"
)

// inner builds the sandbox around itself, starts the command in it and waits for
// its end. In a process namespace it is process 1: with it, everything ends.
func inner() int {
	goruntime.LockOSThread() // privileges and filters belong to this thread, the command is its child
	unix.Umask(0o022)        // the agent's may be another one for the moment in which it makes a socket
	if err := errors.Join(closeOnExec(fdJob), dieFirst(), harden()); err != nil {
		return broken(err)
	}
	j, wanted, err := readJob() // perhaps for a long time
	switch {
	case err != nil:
		return broken(err)
	case !wanted:
		return 0
	}
	// A handler each: a command can't end its holder by a signal, and a handler,
	// unlike an ignored signal, is not passed on to the command.
	signals := make(chan os.Signal, 1) // never read: what does not fit is dropped
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGALRM)
	go watchLife()

	layers, err := confine(&j)
	var other *changed
	switch {
	case errors.As(err, &other):
		tell(report{Problem: other.Error()})
		return 0
	case err != nil:
		tell(report{Missing: err.Error()})
		return 0
	}
	tell(report{Layers: layers})
	if j.Path == "" {
		return 0
	}
	if err := ownInput(&j); err != nil {
		tell(report{Problem: err.Error()})
		return 0
	}
	boundCrowd(&j)
	pid, err := forkBounded(&j, &syscall.ProcAttr{
		Env: j.Env, Files: []uintptr{0, 1, 1}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		tell(report{Problem: startProblem(j.Path, err)})
		return 0
	}
	command.Store(int64(pid))
	tell(report{Started: true})
	for _, fd := range []int{0, 1} { // the command's alone from here
		_ = unix.Close(fd)
	}
	e := wait(pid)
	e.Left = left()
	if !j.Namespaces {
		endAll()
	}
	e.Crowded = crowded.Load()
	tell(report{Ended: &e})
	return 0
}

// ownInput gives a command that reads nothing a stdin that says so.
func ownInput(j *job) error {
	if j.Stdin {
		return nil
	}
	fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	defer unix.Close(fd)
	return unix.Dup3(fd, 0, 0)
}

// confine applies every layer, in the order in which each is still possible.
func confine(j *job) (layers []string, err error) {
	layers = []string{layerEnv, layerSession}
	if j.Group {
		layers = append(layers, layerCgroup)
	} else {
		layers = append(layers, layerNoGroup)
	}
	if j.Namespaces {
		if os.Geteuid() != 0 {
			layers = append(layers, layerUser)
		}
		if err := buildRoot(j); err != nil {
			return nil, fmt.Errorf("%s: %w", layerMount, err)
		}
		layers = append(layers, layerMount, layerPID, layerNet, layerIPC)
	} else if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("subreaper: %w", err)
	}
	if err := enter(j.Dir); err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	for _, l := range []struct {
		name  string
		apply func() (string, error)
	}{
		{layerRlimits, func() (string, error) { return layerRlimits, limit(j) }},
		{layerCaps, func() (string, error) { return layerCaps, dropCaps() }},
		{layerNoPrivs, func() (string, error) { return layerNoPrivs, noNewPrivs() }},
		{layerLandlock, func() (string, error) { return landlock(j) }},
		{layerSeccomp, func() (string, error) { return seccompLayers(j) }},
	} {
		name, err := l.apply()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		if name != "" {
			layers = append(layers, strings.Fields(name)...)
		}
	}
	return layers, nil
}

// seccompLayers installs the filter, with the supervision of program starts where it
// is wanted and to be had.
func seccompLayers(j *job) (string, error) {
	if !j.Supervised {
		return layerSeccomp, seccomp.Install()
	}
	if listener, ok := seccomp.InstallAsking(); ok {
		return layerSeccomp + " " + layerStarts, handOver(listener)
	}
	return layerSeccomp + " " + layerNoStarts, seccomp.Install()
}

// enter goes to the folder that was judged. When a name on the way became a link
// since, the place is another one and nothing runs.
func enter(dir string) error {
	if err := unix.Chdir(dir); err != nil {
		return fmt.Errorf("%s can't be entered: %w", dir, err)
	}
	at, err := syscall.Getwd()
	if err != nil {
		return fmt.Errorf("%s can't be named: %w", dir, err)
	}
	if at != dir {
		return fmt.Errorf("%s leads to %s now, which is not what was judged", dir, at)
	}
	return nil
}

func startProblem(path string, err error) string {
	switch err {
	case unix.ENOENT:
		return path + " is not visible in the sandbox"
	case unix.EACCES:
		return path + " may not be run: it is no program, or lies where commands can write"
	case unix.ENOEXEC:
		return path + " is no program for this machine"
	}
	return fmt.Sprintf("%s: %v", path, err)
}
