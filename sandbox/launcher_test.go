package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lab is a launcher over a workspace of its own.
type lab struct {
	*Launcher
	dir string
}

func newLab(t testing.TB, change ...func(*Config)) *lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Workspace: dir}
	for _, c := range change {
		c(&cfg)
	}
	l, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &lab{Launcher: l, dir: dir}
}

// ownMark makes the long sleeps of this test process its own: other runs of these
// tests on the machine have theirs.
var ownMark = "." + strconv.Itoa(os.Getpid())

// marked puts the mark on the sleeps that a test looks for afterwards.
func marked(script string) string {
	return regexp.MustCompile(`sleep (6\d|9\d\d)\b`).ReplaceAllString(script, "sleep ${1}"+ownMark)
}

// sh runs shell text and gives its output.
func (l *lab) sh(t testing.TB, script string, change ...func(*Spec)) (string, Exit) {
	t.Helper()
	var out strings.Builder
	s := Spec{Path: real(t, "/bin/sh"), Argv: []string{"sh", "-c", marked(script)}, Timeout: 5 * time.Minute, Output: func(p []byte) { out.Write(p) }}
	for _, c := range change {
		c(&s)
	}
	x, err := l.Run(context.Background(), s)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return out.String(), x
}

func real(t testing.TB, path string) string {
	t.Helper()
	r, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRunGivesOutputAndExit(t *testing.T) {
	l := newLab(t)
	out, x := l.sh(t, "echo hello; echo oops >&2; exit 3")
	x.Took = 0
	layers := []string{layerEnv, layerSession, groupLayer(), layerMount, layerPID, layerNet, layerIPC, layerRlimits, layerCaps, layerNoPrivs}
	if os.Geteuid() != 0 {
		layers = slices.Insert(layers, 3, layerUser)
	}
	if abi := landlockABI(); abi > 0 {
		layers = append(layers, fmt.Sprintf("landlock-%d", abi))
	}
	diff(t, "output", out, "hello\noops\n")
	diff(t, "exit", x, Exit{Code: 3, Layers: append(layers, layerSeccomp)})
}

// groupLayer is what the layers of this machine say of groups.
func groupLayer() string {
	if ourGroups().dir == "" {
		return layerNoGroup
	}
	return layerCgroup
}

func TestSignalIsNamed(t *testing.T) {
	_, x := newLab(t).sh(t, "kill -KILL $$")
	diff(t, "exit", []any{x.Code, x.Signal, x.TimedOut}, []any{-1, "SIGKILL", false})
}

func TestStdinIsGivenOrClosed(t *testing.T) {
	l := newLab(t)
	out, _ := l.sh(t, "cat; echo end")
	diff(t, "nothing given", out, "end\n")
	long := strings.Repeat("0123456789abcde\n", 20_000)
	out, x := l.sh(t, "cat | wc -c", func(s *Spec) { s.Stdin = long })
	diff(t, "320,000 bytes", strings.TrimSpace(out), "320000")
	diff(t, "exit", x.Code, 0)
	_, x = l.sh(t, "exec true", func(s *Spec) { s.Stdin = long }) // never reads
	diff(t, "exit without reading", x.Code, 0)
}

func TestProgramThatCantStart(t *testing.T) {
	l := newLab(t)
	if err := os.WriteFile(filepath.Join(l.dir, "notes"), []byte("plain"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/usr/bin/no-such-program":    "/usr/bin/no-such-program is not visible in the sandbox",
		filepath.Join(l.dir, "notes"): filepath.Join(l.dir, "notes") + " may not be run: it is no program, or lies where commands can write",
	} {
		_, err := l.Run(t.Context(), Spec{Path: path, Argv: []string{"x"}})
		diff(t, path, fmt.Sprint(err), want)
	}
}

func TestFolderThatBecameALinkIsNotEntered(t *testing.T) {
	l := newLab(t)
	if err := os.Symlink(l.dir, filepath.Join(l.dir, "sub")); err != nil {
		t.Fatal(err)
	}
	_, err := l.Run(t.Context(), Spec{Path: real(t, "/bin/true"), Argv: []string{"true"}, Dir: filepath.Join(l.dir, "sub")})
	if err == nil || !strings.Contains(err.Error(), "leads to "+l.dir+" now") {
		t.Errorf("got %v", err)
	}
}

// endWhenUp runs shell text and stops it when it has said "up".
func (l *lab) endWhenUp(t *testing.T, script string) (string, Exit) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out strings.Builder
	x, err := l.Run(ctx, Spec{
		Path: real(t, "/bin/sh"), Argv: []string{"sh", "-c", marked(script)}, Timeout: time.Hour,
		Output: func(p []byte) {
			if out.Write(p); strings.Contains(out.String(), "up\n") {
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return out.String(), x
}

// Whoever waited for these sleeps would not be back before the tests' own limit.
func TestCase118_TheWholeTreeEnds(t *testing.T) {
	l := newLab(t)
	for _, script := range []string{
		`trap "" TERM HUP; for i in 1 2 3; do sleep 921 & done; echo up; wait`,
		`echo up; sleep 922 | cat`,
		`setsid sh -c 'trap "" TERM; echo up; sleep 923' & wait`,
	} {
		l.endWhenUp(t, script)
	}
	diff(t, "left alive", alive(t, "sleep\x00921", "sleep\x00922", "sleep\x00923"), []string(nil))
}

// The time limit is told as such, and not as a fault, however early it strikes.
func TestCase118_TimeoutIsTold(t *testing.T) {
	l := newLab(t)
	for _, limit := range []time.Duration{time.Nanosecond, time.Millisecond, 4 * time.Millisecond, 300 * time.Millisecond} {
		_, x := l.sh(t, `sleep 924 | cat`, func(s *Spec) { s.Timeout = limit })
		diff(t, limit.String(), []any{x.TimedOut, x.Code == 0}, []any{true, false})
	}
	diff(t, "left alive", alive(t, "sleep\x00924"), []string(nil))
}

func TestStopBeforeTheStartIsNoFault(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x, err := newLab(t).Run(ctx, Spec{Path: real(t, "/bin/sleep"), Argv: []string{"sleep", "925" + ownMark}, Timeout: time.Hour})
	diff(t, "end", []any{x.TimedOut, x.Code == 0, err}, []any{false, false, nil})
}

func TestCase119_ChildWithASessionOfItsOwnEndsWithTheCall(t *testing.T) {
	l := newLab(t)
	_, x := l.sh(t, `setsid sleep 901 >/dev/null 2>&1 </dev/null & setsid sleep 902 & echo started`)
	diff(t, "exit", []any{x.Code, x.TimedOut}, []any{0, false})
	diff(t, "left alive", alive(t, "sleep\x00901", "sleep\x00902"), []string(nil))
}

// What asks a person at a terminal finds neither terminal nor input, editors and pagers
// do nothing: whatever waits for one ends by itself.
func TestCase115And116_NothingWaitsForAPerson(t *testing.T) {
	out, x := newLab(t).sh(t, `read -r answer || echo no input
(exec 3</dev/tty) 2>/dev/null || echo no terminal
[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo nothing is one
for e in "$EDITOR" "$VISUAL" "$GIT_EDITOR"; do $e file </dev/null && echo edited; done
for p in "$PAGER" "$GIT_PAGER"; do echo paged | $p; done
echo "[$SYSTEMD_PAGER] $GIT_TERMINAL_PROMPT $DEBIAN_FRONTEND"`)
	diff(t, "output", out, "no input\nno terminal\nnothing is one\nedited\nedited\nedited\npaged\npaged\n[] 0 noninteractive\n")
	diff(t, "exit", []any{x.Code, x.TimedOut}, []any{0, false})
}

func TestTermComesBeforeKill(t *testing.T) {
	out, x := newLab(t).endWhenUp(t, `trap 'echo saved; exit 3' TERM; echo up; while :; do :; done`)
	diff(t, "output", out, "up\nsaved\n")
	diff(t, "exit", x.Code, 3)
}

func TestContextEndsTheCommand(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancel(t.Context())
	x, err := l.Run(ctx, Spec{
		Path: real(t, "/bin/sh"), Argv: []string{"sh", "-c", marked("echo up; exec sleep 64")}, Timeout: time.Minute,
		Output: func([]byte) { cancel() },
	})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "timed out", x.TimedOut, false)
	diff(t, "signal", x.Signal, "SIGTERM")
	diff(t, "left alive", alive(t, "sleep\x0064"), []string(nil))
}

func TestFloodIsEnded(t *testing.T) {
	l := newLab(t, func(c *Config) { c.MaxOutput = 1 << 20 })
	out, x := l.sh(t, "yes")
	diff(t, "flooded", x.Flooded, true)
	if len(out) < 1<<20 || len(out) > 2<<20 {
		t.Errorf("got %d bytes", len(out))
	}
}

func TestCommandCantEndItsHolder(t *testing.T) {
	out, x := newLab(t).sh(t, `for s in TERM HUP INT QUIT USR1 ALRM KILL STOP; do kill -$s 1 2>/dev/null; done; echo still here`)
	diff(t, "output", out, "still here\n")
	diff(t, "exit", x.Code, 0)
}

// alive lists processes of this machine whose command line begins with one of the
// words.
func alive(t *testing.T, words ...string) (out []string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range lines {
		b, _ := os.ReadFile(f) // a process that ended meanwhile has none
		for _, w := range words {
			if strings.HasPrefix(string(b), w+ownMark) {
				out = append(out, w)
			}
		}
	}
	return out
}

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// TestHiddenOfOneCommand covers what one command must not see, and nothing for the
// next.
func TestHiddenOfOneCommand(t *testing.T) {
	l := newLab(t)
	for name, text := range map[string]string{"log.txt": "boot\n", ".env": "SECRET\n", "keys/id": "SECRET\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(l.dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("log.txt", filepath.Join(l.dir, "link")); err != nil {
		t.Fatal(err)
	}
	const look = "grep -rh . . 2>/dev/null; cat .env keys/id link 2>/dev/null; mv keys k2 2>/dev/null; cat k2/id 2>/dev/null; true"
	out, _ := l.sh(t, look, func(s *Spec) {
		s.Hidden = []string{l.dir + "/.env", l.dir + "/keys"}
	})
	diff(t, "hidden", out, "boot\nboot\n")
	out, _ = l.sh(t, "cat .env keys/id")
	diff(t, "the next command", out, "SECRET\nSECRET\n")
}

// A variable of the command's own stands in the place of the fixed one, for programs
// that look at the first of two and for those that look at the last.
func TestVariablesAreReplacedNotDoubled(t *testing.T) {
	l := newLab(t)
	env := func(change ...func(*Spec)) (out []string) {
		text, _ := l.sh(t, "", append(change, func(s *Spec) { s.Path, s.Argv = real(t, "/usr/bin/env"), []string{"env"} })...)
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "LANG=") || strings.HasPrefix(line, "TZ=") || strings.HasPrefix(line, "HOME=") {
				out = append(out, strings.TrimSpace(line))
			}
		}
		slices.Sort(out)
		return out
	}
	diff(t, "fixed", env(), []string{"HOME=/tmp", "LANG=C.UTF-8"})
	diff(t, "given", env(func(s *Spec) { s.Env = []string{"LANG=de_DE", "TZ=UTC"} }), []string{"HOME=/tmp", "LANG=de_DE", "TZ=UTC"})
	diff(t, "and gone", env(), []string{"HOME=/tmp", "LANG=C.UTF-8"})
}
