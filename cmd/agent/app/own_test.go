package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hardshell/policy"
	"hardshell/runtime/config"
	"hardshell/tools"
)

// TestOwnProgramIsOutOfReach: a workspace may be the folder that the agent was built
// in. No file tool and no command gets at its program there.
func TestOwnProgramIsOutOfReach(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Config{Workspace: filepath.Dir(own), State: t.TempDir(), Policy: filepath.Join(t.TempDir(), "policy.toml")}
	roots := Roots(cfg, func(string) string { return "" })
	p, err := policy.Parse("p", []byte("version = 1\n[[file]]\nroot = \"workspace\"\nops = [\"read\", \"write\"]\nwhy = \"w\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	path := Real(own)
	d := p.Decide(policy.Action{Tool: "write", Kind: &policy.File{Op: policy.Write, Path: path}},
		policy.Facts{Roots: roots, Paths: map[string]policy.Path{path: {Abs: path, Real: path, Exists: true, Kind: "file"}}})
	if d.Verdict != policy.Deny || d.Rule != "builtin.self" {
		t.Errorf("write: %+v", d)
	}
	box, err := NewBox(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	var said string
	x, err := box.Run(context.Background(), tools.Command{
		Path: Real("/bin/sh"), Argv: []string{"sh", "-c", "head -c 4 " + filepath.Base(own) + "; rm -f " + filepath.Base(own) + "; exit 7"}, Dir: Real(cfg.Workspace),
		Timeout: 10 * time.Second, Output: func(b []byte) { said += string(b) },
	})
	if err != nil || x.Code != 7 {
		t.Fatalf("%+v %v", x, err)
	}
	if info, err := os.Stat(own); err != nil || info.Size() == 0 || len(said) >= 4 && said[:4] == "\x7fELF" {
		t.Errorf("a command reached the program: %q %v", said, err)
	}
}
