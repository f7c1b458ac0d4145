package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hardshell/runtime/event"
	"hardshell/test/ollama"
)

// root is the project's folder.
var root = filepath.Join("..", "..")

// program is the built binary, made once with the Makefile's own settings.
var program struct {
	once sync.Once
	path string
	err  error
}

// binary gives bin/agent as "make build" makes it.
func binary(t *testing.T) string {
	t.Helper()
	program.once.Do(func() {
		cmd := exec.Command("make", "--silent", "build")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			program.err = errors.New(err.Error() + "\n" + string(out))
			return
		}
		program.path, program.err = filepath.Abs(filepath.Join(root, "bin", "agent"))
	})
	if program.err != nil {
		t.Fatalf("make build: %v", program.err)
	}
	return program.path
}

// person is somebody with a fresh machine: own home, state and workspace, the
// shipped lab policy, the scripted model.
type person struct {
	t         *testing.T
	lab       *lab
	dir       string
	workspace string
	env       []string
}

// newPerson makes one whose workspace is a copy of the demo's, or empty.
func newPerson(t *testing.T, workspace string) *person {
	t.Helper()
	p := &person{t: t, lab: theLab(t), dir: t.TempDir()}
	p.workspace = filepath.Join(p.dir, "workspace")
	if err := os.Mkdir(p.workspace, 0o755); err != nil {
		t.Fatal(err)
	}
	if workspace != "" {
		if err := os.CopyFS(p.workspace, os.DirFS(filepath.Join(root, workspace))); err != nil {
			t.Fatal(err)
		}
	}
	policy, err := filepath.Abs(filepath.Join(root, "deploy", "jetson", "policy.toml"))
	if err != nil {
		t.Fatal(err)
	}
	// The program gets nothing of this machine's environment but the path.
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "TZ=UTC",
		"OLLAMA_HOST=" + p.lab.Host, "HARDSHELL_STATE=" + filepath.Join(p.dir, "state"),
		"HARDSHELL_WORKSPACE=" + p.workspace, "HARDSHELL_POLICY=" + policy,
		"HARDSHELL_MODEL=" + ollama.Scripted, "HARDSHELL_BOARD=sim",
	}
	return p
}

// outcome is what a run of the program left.
type outcome struct {
	Code           int
	Stdout, Stderr string
}

// run starts the program with a text on stdin.
func (p *person) run(stdin string, args ...string) outcome {
	p.t.Helper()
	path := binary(p.t) // built first: the time of that is no step of the test
	cmd := exec.CommandContext(within(p.t), path, args...)
	cmd.Env, cmd.Dir = p.env, p.dir
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatalf("agent %s: %v", strings.Join(args, " "), err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// must runs the program and expects it to succeed.
func (p *person) must(args ...string) string {
	p.t.Helper()
	o := p.run("", args...)
	if o.Code != 0 {
		p.t.Fatalf("agent %s: exit %d\n%s%s", strings.Join(args, " "), o.Code, o.Stdout, o.Stderr)
	}
	return o.Stdout
}

// ask asks one question and gives the events and the exit code.
func (p *person) ask(question string, flags ...string) ([]event.Event, int) {
	p.t.Helper()
	o := p.run("", append(append([]string{"ask", "--json"}, flags...), question)...)
	var events []event.Event
	for d := json.NewDecoder(strings.NewReader(o.Stdout)); d.More(); {
		var e event.Event
		if err := d.Decode(&e); err != nil {
			p.t.Fatalf("agent ask --json: %v\n%s%s", err, o.Stdout, o.Stderr)
		}
		events = append(events, e)
	}
	if len(events) == 0 || events[len(events)-1].Kind != event.TurnEnd {
		p.t.Fatalf("agent ask --json %q does not end in turn.end: exit %d\n%s%s", question, o.Code, o.Stdout, o.Stderr)
	}
	return events, o.Code
}

// file reads a file of the workspace.
func (p *person) file(name string) string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.workspace, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}
