package sandbox

import (
	"os/exec"
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

// BenchmarkPlain is the same program without a sandbox, for comparison.
func BenchmarkPlain(b *testing.B) {
	children(b, func() error { return exec.Command("/bin/true").Run() })
}

// children reports the processor time of what is started as well: on a busy machine
// it says more than the time that passed.
func children(b *testing.B, run func() error) {
	b.Helper()
	before := childTime(b)
	for b.Loop() {
		if err := run(); err != nil {
			b.Fatal(err)
		}
	}
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
