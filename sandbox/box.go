package sandbox

import (
	"encoding/json"
	"fmt"
	"os/exec"
	goruntime "runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// box is a sandbox that waits for its job: both processes run and stand in their
// namespaces, and nothing in them says yet what for.
type box struct {
	cmd        *exec.Cmd
	p          *pipes
	group      *group // nil where there is none
	namespaces bool
	// mounts tells when the mounts that the box took over are no longer the agent's. It
	// is a bare descriptor: whoever asks first is told, and Go would ask by itself.
	mounts int
	ended  chan struct{}
}

// newBox makes one and starts it.
func newBox(namespaces bool, g *group) (_ *box, err error) {
	b := &box{group: g, namespaces: namespaces, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	if b.mounts, err = unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("prepare the sandbox: %w", err)
	}
	defer func() {
		if err != nil {
			_ = unix.Close(b.mounts)
		}
	}()
	if b.p, err = makePipes(); err != nil {
		return nil, fmt.Errorf("prepare the sandbox: %w; close other programs if this goes on", err)
	}
	words := []string{roleOuter}
	if !namespaces {
		words = append(words, plainWord)
	}
	b.cmd = exec.Command("/proc/self/exe", words...)
	b.cmd.Args[0] = "hardshell-sandbox"
	b.cmd.Env, b.cmd.Dir = smallGo(), "/"
	c := b.p.child
	b.cmd.Stdin, b.cmd.Stdout, b.cmd.Stderr, b.cmd.ExtraFiles = c[0], c[1], c[2], c[3:]
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if g != nil {
		b.cmd.SysProcAttr.UseCgroupFD, b.cmd.SysProcAttr.CgroupFD = true, g.fd
	}
	if err := b.begin(); err != nil {
		b.p.close()
		return nil, fmt.Errorf("start the sandbox: %w; the agent's own file may be gone", err)
	}
	b.p.closeChild()
	return b, nil
}

// begin starts the outer process. The sandbox dies with the thread that started it,
// so that thread waits.
func (b *box) begin() error {
	began := make(chan error, 1)
	go func() {
		goruntime.LockOSThread()
		defer goruntime.UnlockOSThread()
		err := b.cmd.Start()
		began <- err
		if err == nil {
			_ = b.cmd.Wait() // how it ended stands in what it reported
			close(b.ended)
		}
	}()
	return <-began
}

// give hands the job over. A box that is gone shows it by its end.
func (b *box) give(j job) {
	text, err := json.Marshal(j)
	if err != nil {
		panic("sandbox: internal error: " + err.Error()) // strings and numbers
	}
	go func() {
		_, _ = b.p.job.Write(text)
		b.p.job.Close()
	}()
}

// fresh reports whether the box still stands and sees the mounts that there are now.
func (b *box) fresh() bool {
	select {
	case <-b.ended:
		return false
	default:
	}
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(b.mounts), Events: unix.POLLPRI}}, 0)
	return n == 0 && err == nil
}

// close ends the box, if it still stands, and all that is in it.
func (b *box) close() {
	b.p.close()
	_ = unix.Close(b.mounts)
	late := time.NewTimer(graceKill)
	defer late.Stop()
	select {
	case <-b.ended:
	case <-late.C:
		b.group.kill()
		_ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL)
		<-b.ended
	}
	b.group.close()
}
