package service

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model/modeltest"
)

// noSystemd is the one reason to skip; test/skips.txt has it word for word.
const noSystemd = "this machine is not one to install services on"

// Where the installed agent is.
const (
	unit    = "hardshell.service"
	program = "/usr/local/bin/agent"
	state   = "/var/lib/hardshell"
	config  = "/etc/hardshell/config.toml"
	person  = "agent" // a user of the machine, in the lab
)

// TestService is one life; each part goes on where the one before ended.
func TestService(t *testing.T) {
	if os.Getenv("HARDSHELL_THROWAWAY") == "" {
		t.Skip(noSystemd)
	}
	serveModel(t)
	for _, part := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"installed by the documented steps", install},
		{"the unit holds what it says", hardened},
		{"a member of the group talks to it", member},
		{"a command is confined", command},
		{"a stop ends commands in the background", stop},
		{"a killed agent is started again", killed},
		{"whatever ends it, it is started again", ended},
		{"a wrong config is told", wrongConfig},
		{"root never takes its place", root},
		{"an update keeps what was changed", update},
		{"removed", remove},
	} {
		if !t.Run(part.name, part.run) {
			t.Log(said(t, "journalctl", "-u", unit, "--no-pager", "-n", "40"))
			t.FailNow()
		}
	}
}

// serveModel stands in for Ollama, at its address.
func serveModel(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:11434")
	if err != nil {
		t.Fatal(err)
	}
	fake := modeltest.Fake(t)
	fake.SetModels(modeltest.Model{Name: modeltest.DefaultModel, Size: 100 << 20}) // it fits beside everything
	s := &http.Server{Handler: fake}
	t.Cleanup(func() { _ = s.Close() })
	go func() { _ = s.Serve(l) }() // ends with Close
}

// run runs a program and gives what it said and its exit status.
func run(t *testing.T, words ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	t.Logf("%s: %d\n%s", strings.Join(words, " "), cmd.ProcessState.ExitCode(), out)
	return strings.TrimSpace(string(out)), cmd.ProcessState.ExitCode()
}

// said is run for a program that has to succeed.
func said(t *testing.T, words ...string) string {
	t.Helper()
	out, code := run(t, words...)
	if code != 0 {
		t.Fatalf("%s: exit status %d\n%s", strings.Join(words, " "), code, out)
	}
	return out
}

// mine has the person run the agent.
func mine(t *testing.T, words ...string) (string, int) {
	t.Helper()
	return run(t, append([]string{"runuser", "-u", person, "--", program}, words...)...)
}

// tells fails unless a text matches every pattern.
func tells(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile(p).MatchString(text) {
			t.Errorf("nothing matches %q in:\n%s", p, text)
		}
	}
}

// of is a property of the unit.
func of(t *testing.T, property string) string {
	t.Helper()
	return said(t, "systemctl", "show", "-P", property, unit)
}

// is fails unless a property of the unit has a value.
func is(t *testing.T, property, want string) {
	t.Helper()
	if got := of(t, property); got != want {
		t.Errorf("%s is %q, want %q", property, got, want)
	}
}

// installer runs the script that is shipped.
func installer(t *testing.T, words ...string) string {
	t.Helper()
	return said(t, append([]string{"../../../deploy/jetson/install.sh"}, words...)...)
}

// patient gives the unit as long to start as an emulated processor takes.
func patient(t *testing.T) {
	t.Helper()
	dir := "/etc/systemd/system/" + unit + ".d"
	err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(dir+"/slow.conf", []byte("[Service]\nTimeoutStartSec=infinity\nTimeoutStopSec=infinity\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

func install(t *testing.T) {
	patient(t)
	out := installer(t, "--binary", os.Getenv("HARDSHELL_AGENT"))
	tells(t, out, `(?m)^install: done; talk to it with: agent chat$`, `Ollama is not installed as a service here`)
	if strings.Contains(out, "Conflict") {
		t.Errorf("the users file contradicts the system's:\n%s", out)
	}
	is(t, "ActiveState", "active")
	is(t, "User", "hardshell")
	said(t, "systemctl", "is-enabled", unit)
	tells(t, said(t, "journalctl", "-u", unit, "-o", "cat", "--no-pager"), `"msg":"serving"`)
	out, code := run(t, program, "doctor")
	if code != 0 {
		t.Errorf("doctor finds something wrong after a fresh installation:\n%s", out)
	}
}

func hardened(t *testing.T) {
	if out := said(t, "systemd-analyze", "verify", "/etc/systemd/system/"+unit); out != "" {
		t.Errorf("systemd-analyze verify says:\n%s", out)
	}
	out := said(t, "systemd-analyze", "security", "--no-pager", unit)
	m := regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("systemd-analyze security says:\n%s", out)
	}
	if level, err := strconv.ParseFloat(m[1], 64); err != nil || level > 3.5 {
		t.Errorf("the exposure level is %s (%v), want at most 3.5", m[1], err)
	}
	status, err := os.ReadFile("/proc/" + of(t, "MainPID") + "/status")
	if err != nil {
		t.Fatal(err)
	}
	tells(t, string(status), `(?m)^CapBnd:\s+0+$`, `(?m)^NoNewPrivs:\s+1$`, `(?m)^Seccomp:\s+2$`)
}

func member(t *testing.T) {
	out, code := mine(t, "status")
	if code != 1 {
		t.Errorf("exit status %d of one who is no member", code)
	}
	tells(t, out, `serves root and members of the group hardshell, and this user is none`, `try: sudo usermod -aG hardshell `+person)
	said(t, "usermod", "-aG", "hardshell", person)
	out, code = mine(t, "ask", "hello")
	if code != 0 {
		t.Fatalf("a member of the group gets no answer: exit status %d", code)
	}
	tells(t, out, `(?m)^ok$`)
	out, _ = mine(t, "status")
	tells(t, out, `(?m)^agent +main, process `+of(t, "MainPID")+`$`)
	if out, code = mine(t, "doctor"); code != 0 {
		t.Errorf("doctor, asked by a member, finds something wrong:\n%s", out)
	}
	if _, code = mine(t, "policy", "check", "--", "reboot"); code != 3 {
		t.Errorf("policy check -- reboot: exit status %d, want 3", code)
	}
}

// call has the agent make a tool call in a turn of the person's.
func call(t *testing.T, want int, name, args string) string {
	t.Helper()
	out, code := mine(t, "ask", `TOOL:{"name":"`+name+`","args":`+args+`}`)
	if code != want {
		t.Errorf("%s %s: exit status %d, want %d", name, args, code, want)
	}
	return out
}

func command(t *testing.T) {
	tells(t, call(t, 0, "exec", `{"argv":["uname","-m"]}`), `(?m)^done: `+said(t, "uname", "-m")+`$`)
	tells(t, call(t, 3, "exec", `{"argv":["reboot"]}`), `refused by builtin\.power`)
	call(t, 0, "write", `{"path":"note.txt","content":"seen\n"}`)
	tells(t, call(t, 0, "exec", `{"argv":["cat","note.txt"]}`), `(?m)^done: seen$`)
	var got struct {
		Records []struct {
			Layers []string `json:"layers"`
		} `json:"records"`
	}
	out, _ := mine(t, "audit", "tail", "-n", "1", "--json")
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Records) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, layer := range []string{"mount", "pid", "net", "ipc", "caps", "no-privs", "seccomp", "cgroup"} {
		if !slices.Contains(got.Records[0].Layers, layer) {
			t.Errorf("the command was not held by %s: %v", layer, got.Records[0].Layers)
		}
	}
	out, _ = mine(t, "audit", "verify")
	tells(t, out, `^whole: `)
}

// background starts a command in the background.
func background(t *testing.T) {
	t.Helper()
	tells(t, call(t, 0, "exec", `{"argv":["sleep","600"],"background":true}`), `p[0-9]+`)
	if out, code := run(t, "pgrep", "-u", "hardshell", "-x", "sleep"); code != 0 {
		t.Fatalf("the command does not run: %s", out)
	}
}

// nothing fails when a process of the service's user is left.
func nothing(t *testing.T) {
	t.Helper()
	if out, code := run(t, "ps", "-o", "pid,args", "-u", "hardshell"); code == 0 {
		t.Errorf("processes outlive the agent:\n%s", out)
	}
}

// reported fails unless the agent told its conversation, when it was back, how the
// command ended.
func reported(t *testing.T, how string) {
	t.Helper()
	if _, code := mine(t, "ask", "hello"); code != 0 {
		t.Error("it does not answer")
	}
	log := said(t, "journalctl", "-u", unit, "-o", "cat", "--no-pager", "_PID="+of(t, "MainPID"))
	tells(t, log, `p[0-9]+ \(sleep 600\): `+how, `"msg":"woken"`)
}

func stop(t *testing.T) {
	background(t)
	said(t, "systemctl", "stop", unit)
	is(t, "Result", "success")
	nothing(t)
	if _, err := os.Stat("/sys/fs/cgroup/system.slice/" + unit); err == nil {
		t.Error("the unit's group is left")
	}
	out, code := mine(t, "status")
	if code != 1 {
		t.Errorf("exit status %d of a question to an agent that was stopped", code)
	}
	tells(t, out, `try: sudo systemctl start hardshell`)
	said(t, "systemctl", "start", unit)
	reported(t, "stopped: the agent stopped")
}

// change replaces the config file and gives what it was.
func change(t *testing.T, text string) string {
	t.Helper()
	was, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return string(was)
}

func wrongConfig(t *testing.T) {
	was := change(t, "[model]\nnane = \"x\"\n")
	said(t, "systemctl", "reload", unit)
	is(t, "ActiveState", "active")
	if _, code := run(t, "systemctl", "restart", unit); code == 0 {
		t.Error("it starts with a wrong config")
	}
	is(t, "ActiveState", "failed")
	is(t, "ExecMainStatus", "78")
	is(t, "NRestarts", "0") // 78 is the one status that is not tried again
	tells(t, said(t, "journalctl", "-u", unit, "-o", "cat", "--no-pager"), `config\.toml:2:1: unknown key model\.nane`)
	change(t, was)
	said(t, "systemctl", "start", unit)
	is(t, "ActiveState", "active")
}

func root(t *testing.T) {
	if out, code := run(t, program, "ask", "hello"); code != 0 {
		t.Errorf("root gets no answer of the service:\n%s", out)
	}
	said(t, "systemctl", "stop", unit)
	out, code := run(t, program, "ask", "hello")
	if code != 1 {
		t.Errorf("exit status %d", code)
	}
	tells(t, out, `the agent of this machine does not run`)
	if out := said(t, "find", state, "!", "-user", "hardshell"); out != "" {
		t.Errorf("what the agent can't change:\n%s", out)
	}
	said(t, "systemctl", "start", unit)
}

func update(t *testing.T) {
	const mine = "# mine\n[turn]\nmax_steps = 7\n"
	change(t, mine)
	tells(t, installer(t, "--binary", os.Getenv("HARDSHELL_AGENT")), `/etc/hardshell/config\.toml is kept as it is`)
	text, err := os.ReadFile(config)
	if d := cmp.Diff(mine, string(text)); d != "" || err != nil {
		t.Errorf("the config was changed (%v):\n%s", err, d)
	}
	is(t, "ActiveState", "active")
	out, _ := run(t, program, "status")
	tells(t, out, `(?m)^agent +main, process `)
}

func remove(t *testing.T) {
	installer(t, "--remove")
	nothing(t)
	for _, gone := range []string{program, "/etc/systemd/system/" + unit} {
		if _, err := os.Lstat(gone); err == nil {
			t.Errorf("%s is left", gone)
		}
	}
	for _, kept := range []string{config, filepath.Join(state, "state", "hardshell.db"), filepath.Join(state, "workspace", "note.txt")} {
		if _, err := os.Lstat(kept); err != nil {
			t.Errorf("%s is gone: %v", kept, err)
		}
	}
}
