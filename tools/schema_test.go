package tools_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hardshell/tools"
	"hardshell/tools/board"
	"hardshell/tools/command"
	"hardshell/tools/files"
	"hardshell/tools/self"
	"hardshell/tools/toolstest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// shipped are the tools whose bytes are pinned.
func shipped() []tools.Spec {
	return []tools.Spec{
		(*command.ExecTool)(nil).Spec(), (*command.ProcessTool)(nil).Spec(), (*files.Read)(nil).Spec(), (*files.Write)(nil).Spec(), (*files.Edit)(nil).Spec(),
		(*board.Sensors)(nil).Spec(), (*self.SessionStatus)(nil).Spec(),
	}
}

// TestGoldenSpecs pins what each tool costs in the prompt. Write the files anew
// with: go test ./tools -run TestGoldenSpecs -update
func TestGoldenSpecs(t *testing.T) {
	total, names := 0, []string{}
	for _, s := range shipped() {
		names = append(names, s.Name+".txt")
		got := s.Name + "\n" + s.Description + "\n" + s.Guide + "\n" + string(s.Schema) + "\n"
		path := filepath.Join("testdata", "schema", s.Name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v; write it with -update", err)
		}
		toolstest.Diff(t, s.Name, got, string(want))
		total += len(`{"type":"function","function":{"name":"","description":"","parameters":}}`) + len(s.Name) + len(s.Description) + len(s.Schema)
	}
	held, err := os.ReadDir(filepath.Join("testdata", "schema"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range held {
		if !slices.Contains(names, e.Name()) {
			t.Errorf("testdata/schema/%s belongs to no tool; delete it", e.Name())
		}
	}
	t.Logf("tool array of these tools: %d bytes", total)
	if most := 1900; total > most {
		t.Errorf("the tool array takes %d bytes, the most is %d: shorten schemas or descriptions", total, most)
	}
}
