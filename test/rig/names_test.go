package rig

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testName is a test that a pattern names.
var testName = regexp.MustCompile(`Test\w+`)

// missing gives the names in a pattern that no test of the folder begins with.
func missing(t *testing.T, pattern, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", dir, err)
	}
	var text strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	var lost []string
	for _, name := range testName.FindAllString(pattern, -1) {
		if !strings.Contains(text.String(), "\nfunc "+name) {
			lost = append(lost, name)
		}
	}
	return lost
}

// A test that is left out here, or picked, goes by its name; one that was renamed
// would run where it takes minutes, or no longer run at all.
func TestPatternsNameTests(t *testing.T) {
	for _, k := range kernels {
		for _, b := range k.runs {
			for _, s := range b.suites {
				if lost := missing(t, s.skip+" "+s.run, filepath.Join(root(), s.pkg)); len(lost) > 0 {
					t.Errorf("%s/%s/%s names tests that are not there: %q", k.name, b.who, s.pkg, lost)
				}
			}
		}
	}
	if lost := missing(t, "^(TestSwap|TestFolderSwappedForALink)$", filepath.Join(root(), "tools")); len(lost) != 2 {
		t.Errorf("of two renamed tests %q are missed", lost)
	}
}
