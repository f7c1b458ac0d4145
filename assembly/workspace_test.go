package assembly

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// templates reads the workspace that a fresh install writes.
func templates(t *testing.T) []File {
	t.Helper()
	dir := filepath.Join("..", "deploy", "jetson", "workspace")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []File
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, File{Name: e.Name(), Data: data})
	}
	return out
}

// A fresh workspace goes into the smallest window that must work, whole.
func TestTemplatesAreWholeInTheSmallestWindow(t *testing.T) {
	p := render(t, within(Budget{Window: 4096}, templates(t)...))
	for _, x := range p.Report.Parts {
		if x.Cut || x.Note != "" {
			t.Errorf("%s %s: %s", x.Name, x.Source, x.Note)
		}
	}
	for _, name := range []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "BOOTSTRAP.md"} {
		if partOf(t, p, "file", name).Used == 0 {
			t.Errorf("%s is not in the prompt", name)
		}
	}
	if strings.Contains(p.System, "[MISSING]") {
		t.Error("a template is missing")
	}
	golden(t, "system-templates.txt", []byte(p.System))
}

// The notes of a fresh workspace ask for nothing, so that a heartbeat costs no
// model call before somebody writes into them.
func TestTemplateNotesAreEmpty(t *testing.T) {
	empty := regexp.MustCompile(`^(#.*|- \[[ x]\])?$`)
	for _, f := range templates(t) {
		if f.Name != HeartbeatFile {
			continue
		}
		for l := range strings.SplitSeq(string(f.Data), "\n") {
			if !empty.MatchString(strings.TrimSpace(l)) {
				t.Errorf("%s asks for something: %q", f.Name, l)
			}
		}
		return
	}
	t.Error("there is no heartbeat template")
}
