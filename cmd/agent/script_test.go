package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"hardshell/runtime/model/modeltest"
	"hardshell/sandbox"
)

// TestMain lets the scripts run the program itself as the command "agent".
func TestMain(m *testing.M) {
	if code, ran := sandbox.Main(os.Args); ran {
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){"agent": main})
}

// TestScripts runs the user stories of testdata/script. Each has a model server,
// a workspace, a state folder and a policy of its own; see the commands below.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error { return setup(t, env) },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exit": exitCmd, "steady": steadyCmd, "model": modelCmd, "asked": askedCmd,
			"appears": appearsCmd, "nobody": nobodyCmd, "small": smallCmd, "memory": memoryCmd, "bytes": bytesCmd,
		},
	})
}

// atOnce is what the race detector is told in the programs that the tests start: a
// race still ends them with exit code 66, but none sleeps a whole second at its end
// to wait for one.
const atOnce = "atexit_sleep_ms=20"

// here is the folder of this package.
var here, _ = os.Getwd()

// serverKey finds a script's model server.
type serverKey struct{}

// setup gives a script its lab. A script may hold ws/… and a policy.toml of its
// own in place of testdata/policy.toml.
func setup(t *testing.T, env *testscript.Env) error {
	srv := modeltest.New(t)
	env.Values[serverKey{}] = srv
	for _, dir := range []string{"home", "ws"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, dir), 0o755); err != nil {
			return err
		}
	}
	policy := filepath.Join(env.WorkDir, "policy.toml")
	if _, err := os.Stat(policy); err != nil {
		steady, err := os.ReadFile(filepath.Join(here, "testdata", "policy.toml"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(policy, steady, 0o644); err != nil {
			return err
		}
	}
	self, err := exec.LookPath("agent") // where testscript put it
	if err != nil {
		return err
	}
	for k, v := range map[string]string{
		"AGENT": self, "HOME": filepath.Join(env.WorkDir, "home"), "OLLAMA_HOST": srv.URL, "HARDSHELL_MODEL": modeltest.DefaultModel,
		"HARDSHELL_STATE": filepath.Join(env.WorkDir, "state"), "HARDSHELL_WORKSPACE": filepath.Join(env.WorkDir, "ws"),
		"HARDSHELL_POLICY": policy, "HARDSHELL_BOARD": "sim", "NO_COLOR": "1", "TZ": "UTC", "GORACE": atOnce,
	} {
		env.Setenv(k, v)
	}
	return nil
}

// exitCmd runs the agent and demands an exit code: exit 3 agent ask …
func exitCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE PROGRAM ARGS…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if err != nil {
		var e *exec.ExitError
		if e, _ = err.(*exec.ExitError); e == nil {
			ts.Fatalf("%v", err)
		}
		code = e.ExitCode()
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit %d, want %s", code, args[0])
	}
}

// What differs from run to run, and what stands in its place.
var fluid = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`), "TIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "TIME"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\b[0-9a-f]{12}\b`), "HASH12"},
	{regexp.MustCompile(`(token after |, | · )(\d+ ms|[\dhm.]+s)\b`), "${1}N ms"},
	{regexp.MustCompile(`window( +)\d+ tokens`), "window${1}N tokens"},
	{regexp.MustCompile(`("(?:total_|first_token_)ms"):\d+`), "$1:0"},
	{regexp.MustCompile(`,"(?:load_|prompt_eval_|eval_)?ms":\d+`), ""}, // left out where it is 0
	{regexp.MustCompile(`"(prompt_tokens|predicted_reuse)":\d+`), `"$1":0`},
	{regexp.MustCompile(`\b\d+ prompt tokens, reuse not told, about \d+ expected`), "N prompt tokens, reuse not told, about N expected"},
	{regexp.MustCompile(`\d+\.\d GB of memory`), "N GB of memory"},
	{regexp.MustCompile(`process \d+`), "process PID"},
	{regexp.MustCompile(`"pid":\d+`), `"pid":0`},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
}

// steadyCmd writes stdout, stderr or a file with what differs from run to run
// replaced, so that the whole of it can be compared: steady stdout got. With -n
// all numbers count as such, and so does the width of columns.
func steadyCmd(ts *testscript.TestScript, neg bool, args []string) {
	numbers := len(args) > 0 && args[0] == "-n"
	if numbers {
		args = args[1:]
	}
	if neg || len(args) != 2 {
		ts.Fatalf("usage: steady [-n] FROM TO")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), ts.Getenv("WORK"), "$WORK")
	for _, f := range fluid {
		text = f.re.ReplaceAllString(text, f.to)
	}
	if numbers {
		text = regexp.MustCompile(`\b\d+\b`).ReplaceAllString(text, "N")
		text = regexp.MustCompile(`  +`).ReplaceAllString(text, "  ")
	}
	if host, err := os.Hostname(); err == nil && host != "" {
		text = strings.ReplaceAll(text, host, "HOST")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// server is the script's model server.
func server(ts *testscript.TestScript) *modeltest.Server {
	return ts.Value(serverKey{}).(*modeltest.Server)
}

// modelCmd changes the script's model server:
//
//	model says TEXT           the next reply
//	model cuts TEXT           the next reply, ended by the limit
//	model streams PIECE…      the next reply, in pieces; \e is an escape character
//	model thinks THOUGHT TEXT the next reply, with native thinking before it
//	model stalls              the next reply never comes
//	model fails STATUS TEXT   the next reply
//	model is TYPE STATUS BODY every path answers so from now on
//	model has NAME[=BYTES]…   the models that it has
//	model can NAME FAMILY CAPABILITY…  it has that one, able to do so
//	model template NAME FILE [RENDERER] it has that one, with the template of a file
//	model pull LINE…          what a download reports
//	model loads NAME BYTES WINDOW  it holds that one in memory; with none: nothing
func modelCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: model says|cuts|streams|thinks|stalls|fails|is|has|can|template|pull|loads …")
	}
	srv, rest := server(ts), args[1:]
	for i := range rest {
		rest[i] = strings.NewReplacer(`\e`, "\x1b", `\a`, "\x07", `\r`, "\r", `\n`, "\n").Replace(rest[i])
	}
	number := func(s string) int {
		var n int
		_, err := fmt.Sscan(s, &n)
		ts.Check(err)
		return n
	}
	switch args[0] {
	case "says", "streams":
		srv.Script(modeltest.Text(rest...))
	case "cuts":
		r := modeltest.Text(rest...)
		r.DoneReason = "length"
		srv.Script(r)
	case "thinks":
		srv.Script(modeltest.Stream(modeltest.Step{Thinking: rest[0]}, modeltest.Step{Text: rest[1]}))
	case "can":
		srv.SetModels(modeltest.Model{Name: rest[0], Family: rest[1], Capabilities: rest[2:]})
	case "stalls":
		srv.Script(modeltest.Stream(modeltest.Step{Stall: true}))
	case "fails":
		srv.Script(modeltest.Fail(number(rest[0]), rest[1]))
	case "is":
		srv.Become(modeltest.Foreign(number(rest[1]), rest[0], rest[2]))
	case "has":
		var ms []modeltest.Model
		for _, name := range rest {
			name, bytes, sized := strings.Cut(name, "=")
			m := modeltest.Model{Name: name}
			if sized {
				m.Size = int64(number(bytes))
			}
			ms = append(ms, m)
		}
		srv.SetModels(ms...)
	case "template":
		m := modeltest.Model{Name: rest[0], Template: ts.ReadFile(rest[1])}
		if len(rest) > 2 {
			m.Renderer = rest[2]
		}
		srv.SetModels(m)
	case "pull":
		srv.SetPull(rest...)
	case "loads":
		held := ""
		if len(rest) > 0 {
			held = fmt.Sprintf(`{"name":%q,"model":%[1]q,"size":%d,"context_length":%d}`, rest[0], number(rest[1]), number(rest[2]))
		}
		srv.SetRunning(`{"models":[` + held + `]}`)
	default:
		ts.Fatalf("model %s: unknown", args[0])
	}
}

// bytesCmd writes a file that no text archive can hold: bytes FILE N QUOTED
func bytesCmd(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text, err := strconv.Unquote(`"` + args[2] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(text, n)), 0o644))
}

// askedCmd writes the bodies of the chat requests so far that a model ran for, one a
// line: asked FILE
func askedCmd(ts *testscript.TestScript, neg bool, args []string) {
	var b strings.Builder
	for _, body := range server(ts).Bodies("/api/chat") {
		if !bytes.Contains(body, []byte(`,"_debug_render_only":true}`)) {
			b.Write(append(body, '\n'))
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}

// appearsCmd waits until a file is there: appears state/agent.sock
func appearsCmd(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	ts.Check(err)
	defer unix.Close(fd)
	_, err = unix.InotifyAddWatch(fd, filepath.Dir(path), unix.IN_CREATE|unix.IN_MOVED_TO)
	ts.Check(err)
	buf := make([]byte, 4096)
	for {
		if _, err := os.Lstat(path); err == nil {
			return
		}
		_, err := unix.Read(fd, buf) // returns with the next file that is made
		ts.Check(err)
	}
}

// nobodyCmd runs the agent as an ordinary user, since the tests may run as root:
// nobody CODE agent ask …
func nobodyCmd(ts *testscript.TestScript, neg bool, args []string) {
	bin := filepath.Join(ts.Getenv("WORK"), "nobody-bin", "agent")
	if _, err := os.Stat(bin); err != nil {
		self, err := os.Executable()
		ts.Check(err)
		ts.Check(os.MkdirAll(filepath.Dir(bin), 0o755))
		// Copied by another process: a file that this one wrote could still be open
		// in a child of another script, and then it can't be run.
		ts.Check(exec.Command("cp", self, bin).Run())
	}
	for dir := ts.Getenv("WORK"); dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		ts.Check(os.Chmod(dir, 0o755))
	}
	cmd := exec.Command(bin, args[2:]...)
	attr := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		attr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	runChild(ts, cmd, attr, args[0])
}

// smallCmd runs the agent with its state folder on a disk of a few kilobytes,
// in a mount namespace of its own: small SIZE CODE agent ask …
func smallCmd(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.MkdirAll(ts.MkAbs("state"), 0o700))
	self, err := os.Executable()
	ts.Check(err)
	script := `mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && exec -a agent "$@"`
	cmd := exec.Command("bash", append([]string{"-c", script, "bash", args[0], ts.MkAbs("state"), self}, args[3:]...)...)
	runChild(ts, cmd, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}, args[1])
}

// memoryCmd runs the agent on a machine with that much memory, in a mount namespace of
// its own: memory TOTAL-KIB FREE-KIB CODE agent ask …
func memoryCmd(ts *testscript.TestScript, neg bool, args []string) {
	self, err := os.Executable()
	ts.Check(err)
	info := ts.MkAbs("meminfo")
	ts.Check(os.WriteFile(info, fmt.Appendf(nil, "MemTotal: %s kB\nMemFree: 1 kB\nMemAvailable: %s kB\n", args[0], args[1]), 0o644))
	script := `mount --bind "$1" /proc/meminfo && shift && exec -a agent "$@"`
	cmd := exec.Command("bash", append([]string{"-c", script, "bash", info, self}, args[4:]...)...)
	runChild(ts, cmd, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}, args[2])
}

// runChild runs a command in the script's environment and keeps its streams as
// child.out and child.err.
func runChild(ts *testscript.TestScript, cmd *exec.Cmd, attr *syscall.SysProcAttr, want string) {
	cmd.SysProcAttr = attr
	cmd.Dir = ts.Getenv("WORK")
	for _, k := range []string{
		"HOME", "PATH", "OLLAMA_HOST", "HARDSHELL_MODEL", "HARDSHELL_STATE", "HARDSHELL_WORKSPACE", "HARDSHELL_POLICY",
		"HARDSHELL_CONFIG", "HARDSHELL_BOARD", "NO_COLOR", "TZ", "GORACE",
	} {
		cmd.Env = append(cmd.Env, k+"="+ts.Getenv(k))
	}
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	ts.Logf("[stdout]\n%s[stderr]\n%s", out.String(), errs.String())
	ts.Check(os.WriteFile(ts.MkAbs("child.out"), []byte(out.String()), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("child.err"), []byte(errs.String()), 0o644))
	if cmd.ProcessState == nil {
		ts.Fatalf("%v", err)
	}
	if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != want {
		ts.Fatalf("exit %s, want %s", got, want)
	}
}
