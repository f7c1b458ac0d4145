package sandbox

import (
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStart is one confined start of the smallest program.
func BenchmarkStart(b *testing.B) {
	l := newLab(b)
	s := Spec{Path: real(b, "/bin/true"), Argv: []string{"true"}, Timeout: 10 * time.Second}
	children(b, func() error {
		_, err := l.Run(b.Context(), s)
		return err
	})
}

// idle is the time between two commands in which the next box comes to stand; a model
// thinks for longer.
const idle = 100 * time.Millisecond

// BenchmarkReady is the same where a box is kept ready, which is made while nobody
// waits; its processor time counts.
func BenchmarkReady(b *testing.B) {
	l := newLab(b, func(c *Config) { c.Spare = true })
	defer l.Close()
	s := Spec{Path: real(b, "/bin/true"), Argv: []string{"true"}, Timeout: 10 * time.Second}
	if _, err := l.Run(b.Context(), s); err != nil {
		b.Fatal(err)
	}
	children(b, func() error {
		b.StopTimer()
		l.spare.making.Wait()
		time.Sleep(idle)
		b.StartTimer()
		_, err := l.Run(b.Context(), s)
		return err
	})
}

// BenchmarkSupervised is a shell that starts a program, with nobody who judges it and
// with somebody: the difference is what one judged start costs.
func BenchmarkSupervised(b *testing.B) {
	const many = 200
	for name, judge := range map[string]func(Start) error{"nobody": nil, "judged": func(Start) error { return nil }} {
		b.Run(name, func(b *testing.B) {
			l := newLab(b)
			script := "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done"
			s := Spec{Path: real(b, "/bin/sh"), Argv: []string{"sh", "-c", script}, Timeout: time.Minute, Judge: judge}
			for b.Loop() {
				if _, err := l.Run(b.Context(), s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/many, "µs/start")
		})
	}
}

// BenchmarkBubblewrap is the same program in a sandbox of bubblewrap with the same
// namespaces and a root of the same kind.
func BenchmarkBubblewrap(b *testing.B) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		b.Skip("there is no bubblewrap on this machine")
	}
	args := []string{"--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", b.TempDir(), "/ws", "--chdir", "/ws"}
	for _, p := range systemTrees() {
		args = append(args, "--ro-bind-try", p, p)
	}
	children(b, func() error { return exec.Command(bwrap, append(args, "/usr/bin/true")...).Run() })
}

// BenchmarkPlain is the same program without a sandbox, for comparison.
func BenchmarkPlain(b *testing.B) {
	children(b, func() error { return exec.Command("/bin/true").Run() })
}

// children reports the processor time of what is started as well: on a busy machine
// it says more than the time that passed.
func children(b *testing.B, run func() error) {
	b.Helper()
	before := childTime(b)
	var took []time.Duration
	for b.Loop() {
		began := b.Elapsed()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		took = append(took, b.Elapsed()-began)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64((childTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

func childTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
