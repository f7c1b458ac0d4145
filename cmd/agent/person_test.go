package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hardshell/runtime/model/modeltest"
)

// person sits at a terminal in front of the program.
type person struct {
	t      *testing.T
	screen *os.File
	cmd    *exec.Cmd
	seen   string // what the screen has shown and was not looked for yet
	state  string
	model  *modeltest.Server
	env    []string
	log    *bufio.Scanner // of the daemon, see daemon
}

// sitDown starts the program on a terminal of its own.
func sitDown(t *testing.T, args ...string) *person {
	t.Helper()
	p := newPerson(t)
	p.begin(args...)
	return p
}

// newPerson has a lab and has not started anything.
func newPerson(t *testing.T) *person {
	t.Helper()
	dir := t.TempDir()
	policy, err := filepath.Abs("testdata/policy.toml")
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, state: filepath.Join(dir, "state"), model: modeltest.New(t)}
	ws := filepath.Join(dir, "ws")
	if err := os.MkdirAll(ws, 0o755); err != nil {
		t.Fatal(err)
	}
	// Without warm-up, so that the replies of a test go to its own messages.
	cold := filepath.Join(dir, "cold.toml")
	if err := os.WriteFile(cold, []byte("[model]\nwarm_up = false\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.env = []string{
		"HARDSHELL_CONFIG=" + cold, "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "OLLAMA_HOST=" + p.model.URL, "HARDSHELL_MODEL=" + modeltest.DefaultModel,
		"HARDSHELL_STATE=" + p.state, "HARDSHELL_WORKSPACE=" + ws, "HARDSHELL_POLICY=" + policy, "HARDSHELL_BOARD=sim", "TERM=xterm", "TZ=UTC", "GORACE=" + atOnce,
	}
	return p
}

// background starts the program without a terminal and waits until its log says
// a word. signal sends a signal and waits for another word, end ends it in order.
func (p *person) background(word string, args ...string) (signal func(os.Signal, string), end func()) {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0], cmd.Env = "agent", p.env
	errs, err := cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { cmd.Process.Kill() })
	seen := ""
	says := func(word string) {
		p.t.Helper()
		for buf := make([]byte, 4096); !strings.Contains(seen, word); {
			n, err := errs.Read(buf)
			seen += string(buf[:n])
			if err != nil {
				p.t.Fatalf("%v ended without %q: %s", args, word, seen)
			}
		}
		_, seen, _ = strings.Cut(seen, word)
	}
	says(word)
	signal = func(s os.Signal, word string) {
		p.t.Helper()
		cmd.Process.Signal(s)
		says(word)
	}
	return signal, func() {
		p.t.Helper()
		cmd.Process.Signal(syscall.SIGTERM)
		rest, _ := io.ReadAll(errs)
		if err := cmd.Wait(); err != nil {
			p.t.Errorf("%v: %v\n%s%s", args, err, seen, rest)
		}
	}
}

// begin starts the program, in the same lab as before.
func (p *person) begin(args ...string) {
	p.t.Helper()
	screen, tty := terminal(p.t)
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "agent"
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.env, tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	tty.Close()
	p.screen, p.cmd, p.seen = screen, cmd, ""
	p.t.Cleanup(func() {
		cmd.Process.Kill()
		screen.Close()
	})
}

// terminal opens a pseudo terminal: the person's side and the program's.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 200}); err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "ptmx"), tty
}

// patient is how long a person looks at a screen before giving up: only a broken
// program makes one wait that long.
const patient = 3 * time.Minute

// sees waits until the screen shows a text and gives everything before it.
func (p *person) sees(text string) string {
	p.t.Helper()
	buf := make([]byte, 4096)
	p.screen.SetReadDeadline(time.Now().Add(patient))
	for !strings.Contains(p.seen, text) {
		n, err := p.screen.Read(buf)
		p.seen += string(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.t.Fatalf("%q does not come\n%s", text, p.seen)
		}
		if err != nil {
			p.cmd.Wait()
			p.t.Fatalf("the screen went dark before %q: %v, %v\n%s", text, err, p.cmd.ProcessState, p.seen)
		}
	}
	before, after, _ := strings.Cut(p.seen, text)
	p.seen = after
	return before
}

// types presses keys.
func (p *person) types(keys string) {
	p.t.Helper()
	if _, err := p.screen.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// leaves waits for the end of the program and checks its exit code.
func (p *person) leaves(code int) {
	p.t.Helper()
	buf := make([]byte, 4096)
	p.screen.SetReadDeadline(time.Now().Add(patient))
	for {
		n, err := p.screen.Read(buf)
		p.seen += string(buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.t.Fatalf("the program does not end\n%s", p.seen)
		}
		if err != nil {
			break // the terminal is closed with the last process on it
		}
	}
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit %d, want %d\n%s", got, code, p.seen)
	}
}

// waits until the person's turn stands in line behind that of another.
func (p *person) waits(host *person) {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	for {
		cmd := exec.Command(self, "status", "--json")
		cmd.Args[0], cmd.Env = "agent", host.env
		out, err := cmd.Output()
		if err != nil {
			p.t.Fatal(err)
		}
		if strings.Contains(string(out), `"waiting":["other"]`) {
			return
		}
	}
}
