package story

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/model/modeltest"
)

// rules let a lab's commands run and read, and nothing else.
const rules = `version = 1
name = "story"

[[exec]]
argv = ["uname", "-m"]
why = "the processor's name is no secret"

[[exec]]
argv = ["cat", "{path:read...}"]
why = "looking at files changes nothing"

[[file]]
id = "workspace"
root = "workspace"
path = "**"
ops = ["read", "list", "write"]
why = "the workspace is the agent's desk"
`

// agent is the program under test.
func agent(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("HARDSHELL_AGENT"); path != "" {
		return path
	}
	out := filepath.Join(t.TempDir(), "agent")
	cmd := exec.Command("go", "build", "-trimpath", "-o", out, "hardshell/cmd/agent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// person is somebody with a fresh machine and a scripted model.
type person struct {
	t       *testing.T
	program string
	dir     string
	server  *modeltest.Server
}

func newPerson(t *testing.T) *person {
	t.Helper()
	p := &person{t: t, program: agent(t), dir: t.TempDir(), server: modeltest.New(t)}
	for _, d := range []string{"home", "ws"} {
		if err := os.Mkdir(p.at(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"policy.toml": rules, "ws/log.txt": "fan 1200 rpm\n"} {
		if err := os.WriteFile(p.at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *person) at(name string) string { return filepath.Join(p.dir, name) }

// agent runs the program and gives its output and exit code.
func (p *person) agent(words ...string) (string, int) {
	p.t.Helper()
	cmd := exec.Command(p.program, words...)
	cmd.Dir = p.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.at("home"), "OLLAMA_HOST=" + p.server.URL, "HARDSHELL_MODEL=" + modeltest.DefaultModel,
		"HARDSHELL_STATE=" + p.at("state"), "HARDSHELL_WORKSPACE=" + p.at("ws"), "HARDSHELL_POLICY=" + p.at("policy.toml"),
		"HARDSHELL_BOARD=sim", "NO_COLOR=1", "TZ=UTC",
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	if exit != nil {
		p.t.Logf("agent %s: %v\n%s", strings.Join(words, " "), err, exit.Stderr)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// asks has the model make one tool call and gives what came of it. want is the
// question's exit code.
func (p *person) asks(want int, call modeltest.Call) event.Tool {
	p.t.Helper()
	p.server.Script(modeltest.Calls(call), modeltest.Text("so it is"))
	out, code := p.agent("ask", "--json", "look")
	if code != want {
		p.t.Fatalf("exit %d, want %d\n%s", code, want, out)
	}
	var got []event.Tool
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		var e event.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			p.t.Fatalf("%s: %v", lines.Text(), err)
		}
		if e.Kind == event.ToolEnd {
			got = append(got, *e.Tool)
		}
	}
	if len(got) != 1 {
		p.t.Fatalf("%d tools ended, want 1\n%s", len(got), out)
	}
	return got[0]
}

// refused is the exit code of a question whose act policy refused.
const refused = 3

func diff(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestVersionNamesTheProcessor(t *testing.T) {
	out, code := newPerson(t).agent("version")
	diff(t, "exit", 0, code)
	if !strings.Contains(out, goruntime.GOARCH) {
		t.Errorf("version says %q, which does not name %s", out, goruntime.GOARCH)
	}
}

// machines are the processors as the kernel names them.
var machines = map[string]string{"arm64": "aarch64", "amd64": "x86_64"}

// The whole road: question, scripted model, policy, sandbox, record.
func TestCommandRunsConfinedAndIsOnRecord(t *testing.T) {
	p := newPerson(t)
	tool := p.asks(0, modeltest.Call{Name: "exec", Args: `{"argv":["uname","-m"]}`})
	diff(t, "verdict", "allow", tool.Verdict)
	if !strings.Contains(tool.Text, machines[goruntime.GOARCH]) {
		t.Errorf("uname -m gives %q", tool.Text)
	}
	tool = p.asks(refused, modeltest.Call{Name: "exec", Args: `{"argv":["reboot"]}`})
	diff(t, "verdict on reboot", "deny", tool.Verdict)
	tool = p.asks(0, modeltest.Call{Name: "read", Args: `{"path":"log.txt"}`})
	if !strings.Contains(tool.Text, "fan 1200 rpm") {
		t.Errorf("read gives %q", tool.Text)
	}
	tool = p.asks(0, modeltest.Call{Name: "write", Args: `{"path":"note.txt","content":"seen\n"}`})
	note, err := os.ReadFile(p.at("ws/note.txt"))
	if err != nil {
		t.Fatalf("%v: %+v", err, tool)
	}
	diff(t, "note", "seen\n", string(note))
	p.record()
}

// record looks at what is on record: the layers that held the command, and a chain
// that is whole.
func (p *person) record() {
	p.t.Helper()
	out, code := p.agent("audit", "tail", "--json")
	diff(p.t, "exit of audit tail", 0, code)
	for _, layer := range []string{"mount", "pid", "net", "ipc", "caps", "no-privs", "seccomp"} {
		if !strings.Contains(out, `"`+layer+`"`) {
			p.t.Errorf("no record names the layer %s:\n%s", layer, out)
		}
	}
	out, code = p.agent("audit", "verify")
	diff(p.t, "exit of audit verify", 0, code)
	if !strings.HasPrefix(out, "whole: ") {
		p.t.Errorf("audit verify says %q", out)
	}
}

// Whoever changes a byte of the record is found out.
func TestTamperingIsFound(t *testing.T) {
	p := newPerson(t)
	p.asks(0, modeltest.Call{Name: "exec", Args: `{"argv":["uname","-m"]}`})
	segments, err := filepath.Glob(p.at("state/audit/*"))
	if err != nil || len(segments) == 0 {
		t.Fatalf("no segments: %v", err)
	}
	i := slices.IndexFunc(segments, func(s string) bool {
		text, err := os.ReadFile(s)
		return err == nil && strings.Contains(string(text), "uname")
	})
	if i < 0 {
		t.Fatalf("none of %v holds the command", segments)
	}
	text, err := os.ReadFile(segments[i])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(segments[i], []byte(strings.Replace(string(text), "uname", "uniq ", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := p.agent("audit", "verify")
	diff(t, "exit", 1, code)
	if !strings.HasPrefix(out, "broken: ") {
		t.Errorf("audit verify says %q", out)
	}
}
