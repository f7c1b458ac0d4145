package size

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// budget is what a stripped ARM64 binary may weigh, in bytes. The board has the
// space; a growing binary is how a careless dependency shows first.
const budget = 16 << 20

// build makes the program for an architecture as "make build" does.
func build(t *testing.T, arch string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "agent")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, "./cmd/agent")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build for %s: %v\n%s", arch, err, text)
	}
	return out
}

// The binary for the board: within its budget, for its processor, static.
func TestBoardBinary(t *testing.T) {
	path := build(t, "arm64")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the stripped ARM64 binary has %.1f MB", float64(info.Size())/(1<<20))
	if info.Size() > budget {
		t.Errorf("the stripped ARM64 binary has %d bytes, the budget is %d", info.Size(), budget)
	}
	static(t, path, elf.EM_AARCH64)
}

// bin/agent, as the Makefile built it, runs on any Linux of this machine's kind.
func TestOwnBinaryIsStatic(t *testing.T) {
	path := filepath.Join("..", "..", "bin", "agent")
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run make build first", err)
	}
	static(t, path, 0)
}

// static checks that a binary asks for no loader and no library, and that its
// symbols are stripped. machine 0 stands for any.
func static(t *testing.T, path string, machine elf.Machine) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if machine != 0 && f.Machine != machine {
		t.Errorf("%s is for %s, want %s", path, f.Machine, machine)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Errorf("%s wants a loader: it is not static", path)
		}
	}
	if libs, err := f.ImportedLibraries(); err == nil && len(libs) > 0 {
		t.Errorf("%s wants the libraries %v", path, libs)
	}
	if f.Section(".symtab") != nil {
		t.Errorf("%s has its symbols: it is not stripped", path)
	}
}

// Nothing is linked into the program that only tests or the server need.
func TestLinkedPackages(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./cmd/agent")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for pkg, why := range map[string]string{
		"testing":                          "test code is linked into the program",
		"hardshell/test/ollama":            "test code is linked into the program",
		"hardshell/test/scripted":          "test code is linked into the program",
		"github.com/google/go-cmp/cmp":     "a test tool",
		"pgregory.net/rapid":               "a test tool",
		"github.com/ollama/ollama/fs/ggml": "the server's own code, not its client",
		"github.com/ollama/ollama/llm":     "the server's own code, not its client",
		"github.com/ollama/ollama/server":  "the server's own code, not its client",
		"github.com/gin-gonic/gin":         "the server's own code, not its client",
		"google.golang.org/protobuf/proto": "megabytes for something that we don't speak",
		"mvdan.cc/sh/v3/interp":            "no shell may be in the program",
		"net/http/pprof":                   "a debugging door that nobody asked for",
		"expvar":                           "a debugging door that nobody asked for",
	} {
		if strings.Contains("\n"+string(out), "\n"+pkg+"\n") {
			t.Errorf("%s is linked into the program: %s", pkg, why)
		}
	}
}
