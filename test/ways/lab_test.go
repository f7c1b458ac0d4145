package ways

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hardshell/runtime/model/modeltest"
)

// The marks. What a rule says of itself, and what the other ways carry.
const (
	questionMark = "WAYQUESTION"
	callMark     = "WAYCALL"
	ruleMark     = "WAYRULE"
)

// rules let the clock be read, with the mark at once, in universal time by a person's word.
const rules = `version = 1
unlisted = "deny"

[tools]
allow = ["*"]

[[file]]
root = "workspace"
ops = ["read", "write"]
why = "the workspace is where the work is done"

[[exec]]
id = "clock"
argv = ["date", "{word}"]
verdict = "allow"
why = "` + ruleMark + `: the clock may be read"
match = ["date +%s"]
not_match = ["touch x"]

[[exec]]
id = "universal"
argv = ["date", "-u", "{word}"]
verdict = "ask"
why = "universal time is asked about"
match = ["date -u +%s"]
not_match = ["uname -m"]
`

// arrivals is when each chat request came, before the scripted server sees it.
type arrivals struct {
	server *modeltest.Server
	mu     sync.Mutex
	at     []time.Time
	bodies []string
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.URL.Path == "/api/chat" {
		a.mu.Lock()
		a.at, a.bodies = append(a.at, time.Now()), append(a.bodies, string(b))
		a.mu.Unlock()
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	a.server.ServeHTTP(w, r)
}

// first is when the first request came that holds a word.
func (a *arrivals) first(t *testing.T, word string) time.Time {
	t.Helper()
	for i, b := range a.all() {
		if strings.Contains(b, word) {
			return a.at[i]
		}
	}
	t.Fatalf("no request holds %s", word)
	return time.Time{}
}

// all gives the bodies so far.
func (a *arrivals) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.bodies)
}

// lab is an agent with notes and what it needs.
type lab struct {
	*testing.T
	dir, notes string
	server     *arrivals
	env        []string
}

// newLab builds the agent and starts a scripted model server.
func newLab(t *testing.T, root string) *lab {
	t.Helper()
	dir := t.TempDir()
	l := &lab{T: t, dir: dir, notes: filepath.Join(dir, "notes"), server: &arrivals{server: modeltest.Fake(t)}}
	if err := build(root, dir, l.notes); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(l.server)
	t.Cleanup(srv.Close)
	policy := filepath.Join(dir, "policy.toml")
	if err := os.WriteFile(policy, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"state", "work"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.env = append(os.Environ(), "HOME="+dir, "OLLAMA_HOST="+srv.URL, "HARDSHELL_STATE="+filepath.Join(dir, "state"),
		"HARDSHELL_WORKSPACE="+filepath.Join(dir, "work"), "HARDSHELL_POLICY="+policy, "HARDSHELL_BOARD=sim", "HARDSHELL_MODEL="+modeltest.DefaultModel)
	return l
}

// mark makes the notes those of a new word.
func (l *lab) mark(word string) {
	l.Helper()
	for name, text := range map[string]string{l.notes + ".mark": word, l.notes: ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			l.Fatal(err)
		}
	}
}

// command is the agent with arguments.
func (l *lab) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	l.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(l.dir, "agent"), args...)
	cmd.Env, cmd.Dir = l.env, l.dir
	return cmd
}

// agent runs a command to its end and gives its output.
func (l *lab) agent(args ...string) string {
	l.Helper()
	out, err := l.command(args...).CombinedOutput()
	if err != nil {
		l.Fatalf("agent %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// started is when date ran that wrote nanoseconds and a word, as a request shows it.
func (l *lab) started(word string) time.Time {
	l.Helper()
	clock := regexp.MustCompile(`\b(1[0-9]{18}) ` + word)
	for _, b := range l.server.all() {
		if m := clock.FindStringSubmatch(b); m != nil {
			ns, err := strconv.ParseInt(m[1], 10, 64)
			if err != nil {
				l.Fatal(err)
			}
			return time.Unix(0, ns)
		}
	}
	l.Fatalf("no command told the time with %s", word)
	return time.Time{}
}

// clockCall is a call of exec that tells the time.
func clockCall(words ...string) modeltest.Reply {
	b, err := json.Marshal(map[string]any{"argv": words})
	if err != nil {
		panic(err)
	}
	return modeltest.Calls(modeltest.Call{Name: "exec", Args: string(b)})
}

// answered runs a question at a terminal of its own, waits until the agent asks for
// leave, marks the question's id and gives a person's word from a second process. It
// gives when that was.
func (l *lab) answered(question string) (given time.Time) {
	l.Helper()
	screen, tty := terminal(l.T)
	defer screen.Close()
	go io.Copy(io.Discard, screen)
	cmd := l.command("ask", question)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		l.Fatal(err)
	}
	tty.Close()
	var open struct {
		Approvals []struct{ ID string }
	}
	for until := time.Now().Add(30 * time.Second); len(open.Approvals) == 0; {
		out, _ := l.command("approvals", "list", "--json").Output()
		_ = json.Unmarshal(out, &open)
		if time.Now().After(until) {
			l.Fatalf("nothing was asked: %s", out)
		}
	}
	id := open.Approvals[0].ID
	l.mark(id)
	given = time.Now()
	l.agent("approvals", "answer", id, "once")
	if err := cmd.Wait(); err != nil {
		l.Fatal(err)
	}
	return given
}

// terminal opens a pseudo terminal: the person's side and the program's.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
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
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "ptmx"), tty
}
