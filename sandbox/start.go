package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// outcome is what one start gave.
type outcome struct {
	exit Exit
}

// hold is what holds one command from outside.
type hold struct {
	most  int64  // bytes of output
	group *group // nil where there is none
}

// Bounds of waiting. A command that has to end is asked first; what is left when the
// pipes must be closed is not waited for.
const (
	graceTerm = time.Second
	graceKill = 2 * time.Second
)

// pipes are the ends that the launcher holds.
type pipes struct {
	out, diag, reports *os.File // read
	stdin, life        *os.File // write
	door, stop, over   *os.File // listener of program starts, end of supervision and what brings it
	child              []*os.File
}

func (p *pipes) closeChild() {
	for _, f := range p.child {
		if f != nil {
			f.Close()
		}
	}
	p.child = nil
}

func (p *pipes) close() {
	p.closeChild()
	for _, f := range []*os.File{p.out, p.diag, p.reports, p.stdin, p.life, p.door, p.stop, p.over} {
		if f != nil {
			f.Close()
		}
	}
}

// start makes one sandbox and runs one command in it.
func start(ctx context.Context, j job, s Spec, h hold) (outcome, error) {
	p, err := makePipes(j, s.Stdin != "" || s.Open)
	if err != nil {
		return outcome{}, fmt.Errorf("prepare the sandbox: %w; close other programs if this goes on", err)
	}
	defer p.close()
	cmd := exec.Command("/proc/self/exe", roleOuter)
	cmd.Args[0] = "hardshell-sandbox"
	cmd.Env, cmd.Dir = smallGo(), "/"
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = p.child[0], p.child[1], p.child[2], p.child[3:]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if h.group != nil {
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, h.group.fd
	}
	r := &run{cmd: cmd, p: p, spec: s, hold: h}
	return r.do(ctx)
}

// makePipes makes every descriptor that the sandbox gets.
func makePipes(j job, stdin bool) (_ *pipes, err error) {
	p := &pipes{child: make([]*os.File, 7)}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if !stdin {
		p.child[0], err = os.Open(os.DevNull)
	} else {
		p.child[0], p.stdin, err = os.Pipe()
	}
	if err != nil {
		return nil, err
	}
	for _, one := range []struct {
		read, write **os.File
	}{{&p.out, &p.child[1]}, {&p.diag, &p.child[2]}, {&p.reports, &p.child[4]}, {&p.child[5], &p.life}, {&p.stop, &p.over}} {
		if *one.read, *one.write, err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	p.door, p.child[6] = os.NewFile(uintptr(pair[0]), "door"), os.NewFile(uintptr(pair[1]), "door")
	p.child[3], err = jobFile(j)
	return p, err
}

// jobFile puts the job into memory that nobody can change any more.
func jobFile(j job) (*os.File, error) {
	b, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("job", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("memory for the job: %w", err)
	}
	f := os.NewFile(uintptr(fd), "job")
	if _, err := f.Write(b); err != nil {
		f.Close()
		return nil, err
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// run is one command while it runs.
type run struct {
	cmd  *exec.Cmd
	p    *pipes
	spec Spec
	hold

	flooded atomic.Bool
	cut     bool // it was ended from here, for whatever reason
	late    bool // the time limit was that reason
	reports []report
	started []Started
}

// do starts the sandbox and waits for its end, the time limit or the context.
func (r *run) do(ctx context.Context) (outcome, error) {
	began := make(chan error, 1)
	ended := make(chan struct{})
	go func() {
		// The sandbox dies with the thread that started it, so that thread waits.
		goruntime.LockOSThread()
		defer goruntime.UnlockOSThread()
		err := r.cmd.Start()
		began <- err
		if err == nil {
			// How it ended stands in its state, which outcome reads.
			_ = r.cmd.Wait()
			close(ended)
		}
	}()
	if err := <-began; err != nil {
		return outcome{}, fmt.Errorf("start the sandbox: %w; the agent's own file may be gone", err)
	}
	r.p.closeChild()
	flood := make(chan struct{})
	var diag bytes.Buffer
	var readers sync.WaitGroup
	readers.Go(func() { r.pump(flood) })
	readers.Go(func() { _, _ = io.Copy(&diag, io.LimitReader(r.p.diag, 8<<10)) })
	readers.Go(r.readReports)
	if r.p.stdin != nil {
		go r.feed()
	}
	starts := r.supervise()
	r.wait(ctx, ended, flood)
	r.drain(&readers)
	r.started = starts()
	return r.outcome(strings.TrimSpace(diag.String()))
}

// supervise answers program starts, when somebody judges them, until it is told to
// end, and gives those that there were.
func (r *run) supervise() (end func() []Started) {
	if r.spec.Judge == nil {
		return func() []Started { return nil }
	}
	s := &supervisor{judge: r.spec.Judge, door: r.p.door, stop: r.p.stop}
	done := make(chan struct{})
	go func() { s.run(); close(done) }()
	return func() []Started {
		r.p.over.Close()
		<-done
		return s.started
	}
}

// feed gives the command its stdin; a command that does not want it closes it.
func (r *run) feed() {
	_, _ = io.WriteString(r.p.stdin, r.spec.Stdin)
	if !r.spec.Open {
		r.p.stdin.Close()
	}
}

// pump hands output on until the command and all it started have closed it.
func (r *run) pump(flood chan<- struct{}) {
	buf := make([]byte, 32<<10)
	var total int64
	for {
		n, err := r.p.out.Read(buf)
		if n > 0 && total <= r.most {
			if total += int64(n); r.spec.Output != nil {
				r.spec.Output(buf[:n])
			}
			if total > r.most && r.flooded.CompareAndSwap(false, true) {
				close(flood)
			}
		}
		if err != nil {
			return
		}
	}
}

func (r *run) readReports() {
	in := bufio.NewScanner(r.p.reports)
	for in.Scan() {
		var one report
		if json.Unmarshal(in.Bytes(), &one) == nil {
			r.reports = append(r.reports, one)
			if one.Started && r.spec.Started != nil {
				r.spec.Started(r.running())
			}
		}
	}
}

// wait waits for the end and brings it about when it is time.
func (r *run) wait(ctx context.Context, ended <-chan struct{}, flood <-chan struct{}) {
	limit := time.NewTimer(r.spec.Timeout)
	defer limit.Stop()
	select {
	case <-ended:
		return
	case <-limit.C:
		r.late = true
	case <-ctx.Done():
	case <-flood:
	}
	r.cut = true
	_, _ = r.p.life.Write([]byte{byte(unix.SIGTERM)}) // ask every process to end
	grace := time.NewTimer(graceTerm)
	defer grace.Stop()
	select {
	case <-ended:
		return
	case <-grace.C:
	}
	r.p.life.Close() // the process that holds the command ends, and all with it
	kill := time.NewTimer(graceKill)
	defer kill.Stop()
	select {
	case <-ended:
		return
	case <-kill.C:
	}
	r.group.kill()
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
	<-ended
}

// drain reads what is left in the pipes; a process that got away and holds one open
// is not waited for.
func (r *run) drain(readers *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { readers.Wait(); close(done) }()
	late := time.NewTimer(graceKill)
	defer late.Stop()
	select {
	case <-done:
		return
	case <-late.C:
	}
	r.p.out.Close()
	r.p.diag.Close()
	r.p.reports.Close()
	<-done
}

// outcome reads the reports.
func (r *run) outcome(diag string) (outcome, error) {
	var o outcome
	o.exit.TimedOut, o.exit.Flooded, o.exit.Starts = r.late, r.flooded.Load(), r.started
	finished := false
	for _, one := range r.reports {
		switch {
		case one.Missing != "":
			return o, &MissingLayer{Why: one.Missing}
		case one.Problem != "":
			return o, errors.New(one.Problem)
		case one.Layers != nil:
			o.exit.Layers = one.Layers
		case one.Ended != nil:
			finished = true
			o.exit.Code = one.Ended.Code
			if one.Ended.Signal != 0 {
				o.exit.Signal = unix.SignalName(syscall.Signal(one.Ended.Signal))
			}
		}
	}
	switch {
	case o.exit.Layers == nil && !r.cut:
		return o, fmt.Errorf("the sandbox broke before the command started: %s", orUnknown(diag))
	case !finished && (r.spec.Path != "" || r.cut): // ended from outside, perhaps before it began
		o.exit.Code, o.exit.Signal = -1, "SIGKILL"
	}
	return o, nil
}

func orUnknown(s string) string {
	if s == "" {
		return "it said nothing; try again, and report it if it goes on"
	}
	return s
}
