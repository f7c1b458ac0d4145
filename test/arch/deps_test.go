package arch

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hardshell/test/arch/measure"
)

// read gives a file of the project.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// requirement is a line of go.mod.
var requirement = regexp.MustCompile(`(?m)^\s*(?:require )?([a-z][\w./-]*\.[\w./-]+) v\S+( // indirect)?$`)

// documented is a row of docs/dependencies.md.
var documented = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*\\S) \\|")

// imported gives the modules of go.mod that a file of ours imports.
func imported(modules []string) []string {
	var direct []string
	for _, m := range modules {
		for _, f := range sources {
			uses := slices.ContainsFunc(f.AST.Imports, func(s *ast.ImportSpec) bool { return matches(m+"/...", importPath(s)) })
			if uses {
				direct = append(direct, m)
				break
			}
		}
	}
	return direct
}

// Each module that we import has its reason in docs/dependencies.md, and
// nothing stands there that go.mod does not have.
func TestDependenciesHaveReasons(t *testing.T) {
	var modules, listed []string
	for _, m := range requirement.FindAllStringSubmatch(read(t, "go.mod"), -1) {
		modules = append(modules, m[1])
	}
	for _, m := range documented.FindAllStringSubmatch(read(t, "docs/dependencies.md"), -1) {
		listed = append(listed, m[1])
	}
	for _, m := range imported(modules) {
		if !slices.Contains(listed, m) {
			t.Errorf("%s is imported and docs/dependencies.md gives no reason for it", m)
		}
	}
	for _, m := range listed {
		if !slices.Contains(modules, m) {
			t.Errorf("docs/dependencies.md lists %s, which go.mod does not have", m)
		}
	}
}

// The budget: a list of dependencies that one can know by heart.
func TestFewDependencies(t *testing.T) {
	const most = 18
	rows := documented.FindAllString(read(t, "docs/dependencies.md"), -1)
	if len(rows) > most {
		t.Errorf("%d modules are imported, tests counted; the budget is %d", len(rows), most)
	}
}

// Every line of the skip list names a test that exists.
func TestSkipListIsAlive(t *testing.T) {
	tests := map[string]bool{}
	for _, f := range sources {
		for _, d := range f.AST.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.Test && fn.Recv == nil {
				tests[measure.Module+"/"+f.Pkg+"/"+fn.Name.Name] = true
			}
		}
	}
	for i, line := range strings.Split(read(t, "test/skips.txt"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, ok := strings.Cut(line, "\t")
		if !ok || reason == "" {
			t.Errorf("test/skips.txt:%d: %q: write the test's full name, a tab and the reason", i+1, line)
			continue
		}
		dir, test := filepath.ToSlash(filepath.Dir(name)), filepath.Base(name)
		for !tests[name] && strings.Contains(dir, "/") && !strings.HasPrefix(test, "Test") { // a subtest: its parent must exist
			name, dir, test = dir, filepath.ToSlash(filepath.Dir(dir)), filepath.Base(dir)
		}
		if !tests[name] {
			t.Errorf("test/skips.txt:%d: there is no test %s", i+1, name)
		}
	}
}
