package sandbox

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// spared is a lab that keeps a box ready.
func spared(t testing.TB) *lab {
	l := newLab(t, func(c *Config) { c.Spare = true })
	t.Cleanup(l.Close)
	return l
}

// TestSpareServesOneCommand: what one command did is not there for the next, which
// finds a box ready, and judge, stdin and limits are its own.
func TestSpareServesOneCommand(t *testing.T) {
	l := spared(t)
	first, x := l.sh(t, `echo x > /tmp/left; cd /tmp; export LEFT=1; sleep 951 & cat; echo "$(ls /tmp | wc -l) $$"`, func(s *Spec) { s.Stdin = "one\n" })
	layers := x.Layers
	for n := 1; n < 4; n++ {
		l.spare.making.Wait()
		if !l.spare.box.fresh() {
			t.Fatal("no box is ready")
		}
		out, x := l.sh(t, `test -e /tmp/left || echo gone; echo "left:$LEFT"; cat /proc/*/cmdline | grep -c "[s]leep"; pwd; cat; readlink /proc/self/fd/0`)
		diff(t, "next", out, "gone\nleft:\n0\n"+l.dir+"\n/dev/null\n")
		diff(t, "layers", x.Layers, layers)
		diff(t, "served by boxes that were ready", l.spare.used, n)
	}
	l.spare.making.Wait()
	out, x := l.sh(t, "cat; id -u", func(s *Spec) {
		s.Stdin, s.Judge = strings.Repeat("0123456789abcde\n", 20_000), onlyPrograms("cat")
	})
	refused := slices.ContainsFunc(x.Starts, func(s Started) bool { return s.Refused != "" })
	diff(t, "stdin, judge", []any{first[:4], len(out) > 320_000, refused || slices.Contains(x.Layers, layerNoStarts)}, []any{"one\n", true, true})
}

// TestSpareThatDiedIsReplaced: the command does not notice.
func TestSpareThatDiedIsReplaced(t *testing.T) {
	l := spared(t)
	l.sh(t, "true")
	l.spare.making.Wait()
	dead := l.spare.box
	if err := unix.Kill(dead.cmd.Process.Pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-dead.ended
	out, _ := l.sh(t, "echo ran")
	diff(t, "output", []any{out, l.spare.used}, []any{"ran\n", 0})
	// One that dies on the way, after it was looked at: its end is not seen yet.
	l.spare.making.Wait()
	dead = l.spare.box
	unseen := *dead
	if err := unix.Kill(dead.cmd.Process.Pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-dead.ended
	got, err := l.in(t.Context(), &unseen, Spec{Path: real(t, "/bin/true"), Argv: []string{"true"}, Dir: l.dir, Timeout: time.Hour})
	var broke *brokenBox
	diff(t, "told as broken", []any{errors.As(err, &broke), got.exit.Layers}, []any{true, []string(nil)})
	l.spare.box = nil
}

// TestSpareSeesTheMountsOfNow: a mount that came after it makes another one.
func TestSpareSeesTheMountsOfNow(t *testing.T) {
	if os.Geteuid() != 0 {
		return // nobody else can mount
	}
	l := spared(t)
	mkdir(t, l.dir+"/stick")
	l.sh(t, "true")
	l.spare.making.Wait()
	if err := unix.Mount("tmpfs", l.dir+"/stick", "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(l.dir+"/stick", unix.MNT_DETACH) })
	if err := os.WriteFile(l.dir+"/stick/file", []byte("here\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := l.sh(t, "cat stick/file")
	diff(t, "output", []any{out, l.spare.used}, []any{"here\n", 0})
}

// TestSpareEnds with the launcher, and takes everything along.
func TestSpareEnds(t *testing.T) {
	before := descriptors(t)
	l := newLab(t, func(c *Config) { c.Spare = true })
	for range 3 {
		l.sh(t, "true")
	}
	l.spare.making.Wait()
	b := l.spare.box
	l.Close()
	<-b.ended
	l.sh(t, "true") // works all the same
	diff(t, "descriptors, spare", []any{descriptors(t), l.spare.box == nil}, []any{before, true})
}
