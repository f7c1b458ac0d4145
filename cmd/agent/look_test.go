package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model/modeltest"
)

// lies is every file and folder below dir with its bytes, mode and time of change.
func lies(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var data []byte
		if info.Mode().IsRegular() {
			data, err = os.ReadFile(path)
		}
		out[path] = fmt.Sprintf("%v %v %q", info.Mode(), info.ModTime(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLooksWriteNothing: a command that only looks beside no agent leaves everything as it
// is, in the state folder and around it, byte for byte: where nothing was ever kept, after
// a life, and after one that was cut off with a command in the background.
func TestLooksWriteNothing(t *testing.T) {
	p := busy(t)
	all := append([][]string{
		{"doctor"},
		{"doctor", "--no-model"},
		{"skills", "list"},
		{"skills", "check"},
		{"config", "show"},
		{"config", "check"},
		{"policy", "show"},
		{"model", "list"},
		{"model", "check"},
		{"sim", "show"},
		{"context", "diff"},
		{"context", "detail"},
		{"process", "log", "p1"},
		{"audit", "show", "1"},
		{"sessions", "turn"},
		{"sandbox", "probe"},
	}, looks...)
	unchanged := func(when string) {
		t.Helper()
		lab := filepath.Dir(p.state)
		before := lies(t, lab)
		for _, args := range all {
			said, code := p.client(args...)
			if code == exitUsage {
				t.Errorf("%s, %v: exit %d: %s", when, args, code, said)
			}
			after := lies(t, lab)
			if d := cmp.Diff(before, after); d != "" {
				t.Errorf("%s, %v changed something (-before +after):\n%.2000s", when, args, d)
				before = after
			}
		}
	}
	unchanged("a fresh state")
	p.run("ask", "hi")
	unchanged("after a life")
	p.gate()
	serve := p.daemon("serving")
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"script":"` + untilOpen + `","background":true}`}))
	p.model.Script(modeltest.Text("It runs."))
	p.run("ask", "begin")
	if err := serve.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = serve.Wait()
	if err := os.WriteFile(filepath.Join(p.state, "outputs", "p77.txt"), []byte("nobody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	unchanged("after a crash")
}
