package app

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/deploy/jetson"
	"hardshell/policy"
	"hardshell/policy/audit"
	"hardshell/runtime/config"
	"hardshell/tools"
	"hardshell/tools/command"
	"hardshell/tools/files"
)

// notes keeps records.
type notes struct {
	mu   sync.Mutex
	list []audit.Line
}

func (n *notes) Record(_ context.Context, r audit.Line) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, r)
	return nil
}

// bench is the real door over the real sandbox under the lab policy, in a workspace
// with a small project.
type bench struct {
	reg   *tools.Registry
	notes *notes
	dir   string
	judge bool // this kernel lets starts be judged
}

func newBench(t *testing.T, named map[string]string) *bench {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{notes: &notes{}, dir: filepath.Join(top, "ws")}
	for name, text := range named {
		path := filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config.Default()
	cfg.Workspace, cfg.State, cfg.Policy = b.dir, filepath.Join(top, "state"), filepath.Join(top, "policy.toml")
	box, err := NewBox(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	r := box.Probe(t.Context())
	if !r.Complete() {
		t.Fatalf("%+v", r)
	}
	b.judge = slices.Contains(r.Layers, "starts")
	text, err := jetson.Files.ReadFile("policy.toml")
	if err != nil {
		t.Fatal(err)
	}
	lab, err := policy.Parse("policy.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	roots, err := files.NewRoots(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	b.reg = tools.NewRegistry(tools.Config{
		Policy: func() tools.Policy { return lab }, Auditor: b.notes, Dir: b.dir, Confined: true, Roots: Roots(cfg, os.Getenv), CommandUID: os.Getuid(),
		Tools: []tools.Tool{command.NewExecTool(command.ExecConfig{Launcher: box, Roots: roots, Timeout: 5 * time.Minute})},
	})
	return b
}

// exec runs a command: a list of words, or shell text.
func (b *bench) exec(t *testing.T, what any) tools.Result {
	t.Helper()
	args := map[string]any{"argv": what}
	if _, ok := what.(string); ok {
		args = map[string]any{"script": what}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	res, err := b.reg.Call(t.Context(), tools.Origin{Agent: "main", Run: "chat"}, tools.Call{ID: "c1", Name: "exec", Args: raw}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

var project = map[string]string{
	"main.c": "#include <stdio.h>\n#include \"part.h\"\nint main(void) { printf(\"%d\\n\", part()); return 0; }\n",
	"part.c": "#include \"part.h\"\nint part(void) { return 42; }\n",
	"part.h": "int part(void);\n",
	"Makefile": "all: out/prog\nout/prog: main.c part.c\n\t@mkdir -p out\n\t$(CC) -O1 -Wall -o $@ main.c part.c\n" +
		"clean:\n\trm -rf out\nwho:\n\t@uname -s\n\t-@sh -c 'sh -c \"python3 -c 1\"'\n\t-@./cc1 -c 1\n\t@echo done\n",
	"log.txt": "b\na\n",
}

// TestOrdinaryBuildsRunUnderTheLabPolicy: what a compiler, make and git start is
// started, and what no rule lets them start is not, however deep it lies.
func TestOrdinaryBuildsRunUnderTheLabPolicy(t *testing.T) {
	b := newBench(t, project)
	for _, args := range [][]string{{"init", "-q"}, {"add", "main.c", "part.c"}, {"-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", b.dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if out, err := exec.Command("sh", "-c", "gzip < "+b.dir+"/log.txt > "+b.dir+"/log.gz").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		what any
		want string
	}{
		{[]string{"make"}, "-O1 -Wall -o out/prog main.c part.c\n[exit 0"},
		{[]string{"make", "clean"}, "rm -rf out\n[exit 0"},
		{[]string{"gcc", "-Wall", "-o", "prog", "main.c", "part.c"}, "[exit 0"},
		{[]string{"git", "log", "--oneline"}, " first\n[exit 0"},
		{[]string{"git", "status", "--short"}, "?? log.gz\n?? log.txt\n"},
		{[]string{"git", "diff"}, "[exit 0"},
		{"sort log.txt | head -n 1; wc -l log.txt", "a\n2 log.txt\n[exit 0"},
		{[]string{"env", "nice", "sort", "log.txt"}, "a\nb\n[exit 0"},
		{[]string{"tar", "czf", "l.tgz", "log.txt"}, "[exit 0"},
		{[]string{"tar", "tzf", "l.tgz"}, "log.txt\n[exit 0"},
		{[]string{"zcat", "log.gz"}, "b\na\n[exit 0"},
		{[]string{"zgrep", "a", "log.gz"}, "a\n[exit 0"},
	} {
		res := b.exec(t, c.what)
		if !strings.Contains(res.Text, c.want) || strings.Contains(res.Text, "did not start") {
			t.Errorf("%v: want %q in %s:\n%s", c.what, c.want, res.Outcome, res.Text)
		}
		t.Logf("%v: %q", c.what, res.Starts)
	}
	// A link in the workspace bears the name of what may start; what it leads to counts.
	if err := os.Symlink("/usr/bin/python3", filepath.Join(b.dir, "cc1")); err != nil {
		t.Fatal(err)
	}
	if !b.judge {
		return // this kernel can't, which the layers say
	}
	res := b.exec(t, []string{"make", "who"})
	for _, want := range []string{"Linux\n", "done\n", "[did not start: refused: /usr/bin/python3", "(rule "} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("%q is missing in:\n%s", want, res.Text)
		}
	}
	act := b.notes.list[len(b.notes.list)-1]
	short := slices.DeleteFunc(slices.Clone(act.Starts), func(s string) bool { return strings.HasPrefix(s, "refused: ") })
	if d := cmp.Diff([]string{"/usr/bin/uname", "/usr/bin/dash 2 times", "/usr/bin/echo"}, short); d != "" || len(act.Starts) != len(short)+1 {
		t.Errorf("on record (-want +got):\n%s%q", d, act.Starts)
	}
}
