package assembly

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldens are the files of testdata that a test compared or wrote.
var goldens = map[string]bool{}

// TestMain also holds, when every test ran, that testdata has no file which none
// of them looked at: a kind of run that went would leave its goldens behind.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	for _, part := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if flag.Lookup(part).Value.String() != "" {
			os.Exit(code)
		}
	}
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		fmt.Println("testdata holds no golden file:", err)
		code = 1
	}
	for _, f := range files {
		if !goldens[filepath.Base(f)] {
			fmt.Printf("%s: no test looks at it; delete it\n", f)
			code = 1
		}
	}
	os.Exit(code)
}

// golden compares bytes with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	goldens[name] = true
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./assembly -update", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s has drifted; if that is meant: go test ./assembly -update\n%s", path, cmp.Diff(string(want), string(got)))
	}
}

func TestGoldenSystem(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Input
	}{
		{"lab", lab()}, {"everything", everything()},
	} {
		for _, m := range []struct {
			name string
			mode Mode
		}{{"full", Full}, {"minimal", Minimal}, {"none", None}} {
			in := c.in
			in.Mode = m.mode
			golden(t, "system-"+c.name+"-"+m.name+".txt", []byte(render(t, in).System))
		}
	}
}

func TestGoldenTools(t *testing.T) {
	var b bytes.Buffer
	for _, tool := range render(t, everything()).Tools {
		j, err := toolJSON(tool)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(j, '\n'))
	}
	golden(t, "tools.jsonl", b.Bytes())
}

func TestGoldenTurns(t *testing.T) {
	for _, turn := range turns() {
		for _, m := range []struct {
			name string
			mode Mode
		}{{"full", Full}, {"minimal", Minimal}, {"none", None}} {
			in := lab()
			in.Mode, in.Turn = m.mode, turn
			golden(t, "turn-"+string(turn.Run)+"-"+m.name+".txt", []byte(render(t, in).TurnContext))
		}
	}
}

func TestGoldenReport(t *testing.T) {
	in := lab()
	in.Turn = turns()[2]
	b, err := json.MarshalIndent(render(t, in).Report, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", append(b, '\n'))
}
