package arch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/test/arch/measure"
)

// rule forbids packages an import. Paths of ours are written from the root;
// "x/..." means x and all below it. Test files are free.
type rule struct {
	from   []string // who
	except []string // but not these
	forbid []string // must not import this
	allow  []string // although it may import this
	why    string
	// helpers frees packages whose name ends in "test": they serve tests of
	// several packages and are never linked into the program (test/size).
	helpers bool
}

// ours stands for every package of the project.
const ours = measure.Module + "/..."

// own gives the import path of packages of ours.
func own(names ...string) []string {
	for i, n := range names {
		names[i] = measure.Module + "/" + n
	}
	return names
}

var rules = []rule{
	{
		from: []string{"assembly"}, forbid: []string{ours},
		why: "the prompt is a pure function of plain values: whoever renders it fills them in",
	},
	{
		from:   []string{"assembly/..."},
		forbid: []string{"os", "os/exec", "os/user", "io/fs", "net/...", "syscall", "log/...", "math/rand/...", "html/template"},
		why:    "Render reads no clock, file, network or environment, so that the same input gives the same bytes",
	},
	{
		from: []string{"policy/..."}, forbid: []string{ours}, allow: own("policy/..."),
		why: "a decision depends on the action and the facts that it is given, on nothing else of ours than policy's own parts",
	},
	{
		from: []string{"policy/..."}, except: []string{"policy"}, forbid: own("policy"),
		why: "the parts of policy stand below it: what reads words or a file does not know who decides",
	},
	{
		from:   []string{"policy/..."},
		forbid: []string{"os", "os/exec", "os/user", "io/fs", "net", "net/http", "syscall", "log/...", "math/rand/..."},
		why:    "deciding does no input or output: facts are looked up by whoever asks",
	},
	{
		from: []string{"runtime/message", "runtime/event"}, forbid: []string{ours},
		why: "the shared vocabulary is plain values that everybody can import",
	},
	{
		from: []string{"runtime/model"}, forbid: []string{ours}, allow: own("runtime/message", "tools/text"),
		why: "the driver knows model servers and messages, not what the agent does with them",
	},
	{
		from: []string{"runtime/store"}, forbid: []string{ours}, allow: own("runtime/message", "runtime/event", "policy/audit"),
		why: "the store keeps records and understands none of them",
	},
	{
		from: []string{"tools/..."}, forbid: own("runtime/...", "assembly/...", "sandbox/...", "cmd/..."),
		why: "tools stand below the loop; what confines a command is handed to them as a Launcher",
	},
	{
		from: []string{"tools"}, forbid: own("tools/files", "tools/command", "tools/board", "tools/self"),
		why: "the door takes every tool alike, and a new one changes nothing in it: the wiring puts them in",
	},
	{
		from: []string{"tools/args", "tools/text", "tools/secret", "tools/lookup", "tools/patch"}, forbid: own("tools"),
		why: "what the door and the tools stand on knows neither",
	},
	{
		from: []string{"sandbox/..."}, forbid: own("runtime/...", "assembly/...", "tools/...", "cmd/..."),
		why: "the sandbox runs what it is told and must not learn who asks",
	},
	{
		from: []string{"hw/..."}, forbid: []string{ours}, allow: own("hw/..."),
		why: "drivers know the board and nothing above it",
	},
	{
		from: []string{"runtime/reply"}, forbid: []string{ours}, allow: own("assembly", "runtime/event"),
		why: "what is shown of a reply is a function of its text: no agent, model server or tool has a say",
	},
	{
		from: []string{"runtime/reply"}, forbid: []string{"os", "os/exec", "io/fs", "net/...", "syscall", "log/...", "time", "context", "math/rand/..."},
		why: "filtering a reply does no input or output and reads no clock",
	},
	{
		from: []string{"runtime/prompt"}, forbid: own("policy/...", "runtime/approval", "runtime/config", "runtime/gateway", "runtime/reply", "runtime/store", "runtime/warm"),
		why: "what the model is told depends on files, facts and settings, not on who sends it and what comes back",
	},
	{
		from: []string{"runtime/warm"}, forbid: []string{ours}, allow: own("runtime/model", "runtime/message"),
		why: "what is read ahead of need comes in as requests: no tool, session or prompt is in sight",
	},
	{
		from: []string{"runtime"}, forbid: own("runtime/gateway"),
		why: "the gateway shows the agent to the outside; the agent must work without it",
	},
	{
		from: []string{"runtime/..."}, forbid: own("sandbox/...", "hw/...", "cmd/..."),
		why: "the loop reaches the world through tools.Registry only, where policy is asked",
	},
	{
		from: []string{"..."}, except: []string{"cmd/...", "sandbox/...", "test/..."}, forbid: own("sandbox/..."),
		why: "one road to the world: only the wiring hands out the sandbox, as a Launcher",
	},
	{
		from: []string{"..."}, except: []string{"cmd/...", "hw/...", "test/..."}, forbid: own("hw/..."), allow: own("hw"),
		why: "one road to the world: only the wiring picks a board's drivers",
	},
	{
		from: []string{"..."}, except: []string{"sandbox/...", "test/..."}, forbid: []string{"os/exec"},
		why: "one road to the world: programs are started by the sandbox alone",
	},
	{
		from: []string{"..."}, except: []string{"cmd/...", "test/..."}, forbid: own("cmd/...", "test/..."),
		why: "commands and tests stand at the top: nothing may lean on them",
	},
	{
		from: []string{"..."}, except: []string{"runtime/gateway/..."}, forbid: []string{"html/template"},
		why: "html/template escapes text for a browser; a prompt or a file would come out changed",
	},
	{
		from: []string{"..."}, except: []string{"test/..."}, forbid: []string{"github.com/ollama/ollama/..."}, allow: []string{"github.com/ollama/ollama/api", "github.com/ollama/ollama/types/..."}, helpers: true,
		why: "the api package is small; the server's other packages would multiply the binary",
	},
	{
		from: []string{"..."}, forbid: []string{"testing/...", "github.com/google/go-cmp/...", "github.com/rogpeppe/go-internal/...", "pgregory.net/rapid"}, helpers: true,
		why: "test tools stay out of the program",
	},
	{
		from: []string{"..."}, forbid: []string{"math/rand"},
		why: "math/rand/v2 is the one that is seeded",
	},
}

// broken finds the imports that a rule forbids.
func (r rule) broken(files []measure.File) []string {
	var found []string
	for _, f := range files {
		inside := oneOf(r.from, f.Pkg) || r.from[0] == "..."
		if f.Test || !inside || oneOf(r.except, f.Pkg) || r.helpers && strings.HasSuffix(f.Pkg, "test") {
			continue
		}
		for p, spec := range f.Imports() {
			if oneOf(r.forbid, p) && !oneOf(r.allow, p) && p != measure.Module+"/"+f.Pkg {
				found = append(found, fmt.Sprintf("%s:%d imports %s: %s", f.Path, fset.Position(spec.Pos()).Line, p, r.why))
			}
		}
	}
	return found
}

func TestImports(t *testing.T) {
	for _, r := range rules {
		for _, b := range r.broken(sources) {
			t.Error(b)
		}
	}
}

// The rules see what they are there to see.
func TestRulesBite(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "policy/p.go", "package policy\n\nimport _ \"os\"\n")
	write(t, dir, "policy/p_test.go", "package policy\n\nimport _ \"os\"\n")
	write(t, dir, "hw/jetson/j.go", "package jetson\n\nimport _ \"hardshell/hw\"\n")
	write(t, dir, "runtime/store/s.go", "package store\n\nimport (\n\t_ \"hardshell/policy/audit\"\n\t_ \"hardshell/tools\"\n)\n")
	write(t, dir, "tools/t.go", "package tools\n\nimport (\n\t_ \"hardshell/sandbox/inner\"\n\t_ \"hardshell/hw\"\n\t_ \"os/exec\"\n)\n")
	files, err := measure.Parse(fset, dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rules {
		for _, b := range r.broken(files) {
			place, _, _ := strings.Cut(b, ": ")
			got = append(got, place)
		}
	}
	want := []string{
		"policy/p.go:3 imports os",
		"runtime/store/s.go:5 imports hardshell/tools",
		"tools/t.go:4 imports hardshell/sandbox/inner",
		"tools/t.go:4 imports hardshell/sandbox/inner",
		"tools/t.go:6 imports os/exec",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

// The folder runtime/ hides the standard package of that name, so that one goes
// by goruntime, everywhere.
func TestStandardRuntimeHasItsAlias(t *testing.T) {
	for _, f := range sources {
		spec, ok := f.Imports()["runtime"]
		if ok && (spec.Name == nil || spec.Name.Name != "goruntime") {
			t.Errorf(`%s:%d: write goruntime "runtime": our own package has that name`, f.Path, fset.Position(spec.Pos()).Line)
		}
		if spec, ok := f.Imports()[measure.Module+"/runtime"]; ok && spec.Name != nil {
			t.Errorf("%s:%d: our own runtime goes by its own name", f.Path, fset.Position(spec.Pos()).Line)
		}
	}
}
