package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// outcome is what one start gave.
type outcome struct {
	exit    Exit
	crowded bool // it was ended because it had too many processes
}

// hold is what holds one command from outside.
type hold struct {
	*box
	most int64 // bytes of output
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
	stdin, life, job   *os.File // write
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
	for _, f := range []*os.File{p.out, p.diag, p.reports, p.stdin, p.life, p.job, p.door, p.stop, p.over} {
		if f != nil {
			f.Close()
		}
	}
}

// start runs one command in a box.
func start(ctx context.Context, j job, s Spec, h hold) (outcome, error) {
	r := &run{hold: h, spec: s}
	return r.do(ctx, j)
}

// makePipes makes every descriptor that the sandbox gets.
func makePipes() (_ *pipes, err error) {
	p := &pipes{child: make([]*os.File, 7)}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	for _, one := range []struct {
		read, write **os.File
	}{
		{&p.child[0], &p.stdin},
		{&p.out, &p.child[1]},
		{&p.diag, &p.child[2]},
		{&p.child[3], &p.job},
		{&p.reports, &p.child[4]},
		{&p.child[5], &p.life},
		{&p.stop, &p.over},
	} {
		if *one.read, *one.write, err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	p.door, p.child[6] = os.NewFile(uintptr(pair[0]), "door"), os.NewFile(uintptr(pair[1]), "door")
	return p, nil
}

// run is one command while it runs.
type run struct {
	hold
	spec Spec

	flooded atomic.Bool
	cut     bool // it was ended from here, for whatever reason
	late    bool // the time limit was that reason
	reports []report
	started []Started
}

// do gives the sandbox its job and waits for its end, the time limit or the context.
func (r *run) do(ctx context.Context, j job) (outcome, error) {
	r.give(j)
	flood := make(chan struct{})
	var diag bytes.Buffer
	var readers sync.WaitGroup
	readers.Go(func() { r.pump(flood) })
	readers.Go(func() { _, _ = io.Copy(&diag, io.LimitReader(r.p.diag, 8<<10)) })
	readers.Go(r.readReports)
	go r.feed()
	starts := r.supervise(j.Workspace)
	r.wait(ctx, flood)
	r.drain(&readers)
	r.started = starts()
	return r.outcome(strings.TrimSpace(diag.String()))
}

// supervise answers program starts, when somebody judges them, until it is told to
// end, and gives those that there were.
func (r *run) supervise(workspace string) (end func() []Started) {
	if r.spec.Judge == nil {
		return func() []Started { return nil }
	}
	s := &supervisor{judge: r.spec.Judge, writable: []string{workspace, "/tmp"}, door: r.p.door, stop: r.p.stop}
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
func (r *run) wait(ctx context.Context, flood <-chan struct{}) {
	limit := time.NewTimer(r.spec.Timeout)
	defer limit.Stop()
	select {
	case <-r.ended:
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
	case <-r.ended:
		return
	case <-grace.C:
	}
	r.p.life.Close() // the process that holds the command ends, and all with it
	kill := time.NewTimer(graceKill)
	defer kill.Stop()
	select {
	case <-r.ended:
		return
	case <-kill.C:
	}
	r.group.kill()
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
	<-r.ended
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
			return o, &missingLayer{Why: one.Missing}
		case one.Problem != "":
			return o, errors.New(one.Problem)
		case one.Layers != nil:
			o.exit.Layers = one.Layers
		case one.Ended != nil:
			finished = true
			o.exit.Code, o.exit.Left, o.crowded = one.Ended.Code, one.Ended.Left, one.Ended.Crowded
			if one.Ended.Signal != 0 {
				o.exit.Signal = unix.SignalName(syscall.Signal(one.Ended.Signal))
			}
		}
	}
	switch {
	case o.exit.Layers == nil && !r.cut:
		return o, &brokenBox{orUnknown(diag)}
	case !finished && (r.spec.Path != "" || r.cut): // ended from outside, perhaps before it began
		o.exit.Code, o.exit.Signal = -1, "SIGKILL"
	}
	return o, nil
}

// brokenBox is the error of a sandbox that ended before the command started.
type brokenBox struct{ said string }

func (e *brokenBox) Error() string {
	return "the sandbox broke before the command started: " + e.said
}

func orUnknown(s string) string {
	if s == "" {
		return "it said nothing; try again, and report it if it goes on"
	}
	return s
}
