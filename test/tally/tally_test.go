package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTally(t *testing.T) {
	const pass = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`
	const skipped = `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: no server here\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
`
	for _, c := range []struct {
		name, events, want string
		allowed            map[skip]bool
		ok                 bool
	}{
		{"all pass", pass, "ok  \tp\t0.1s\n1 passed, 0 failed, 0 skipped\n", nil, true},
		{
			"a skip that is not listed", pass + skipped,
			"ok  \tp\t0.1s\nskipped, and test/skips.txt does not allow it: p/TestB: no server here\n1 passed, 0 failed, 1 skipped\n",
			map[skip]bool{{"p/TestB", "another reason"}: true, {"q/TestB", "no server here"}: true},
			false,
		},
		{
			"a skip that is listed", pass + skipped,
			"ok  \tp\t0.1s\nskipped, as test/skips.txt allows: p/TestB: no server here\n1 passed, 0 failed, 1 skipped\n",
			map[skip]bool{{"p/TestB", "no server here"}: true},
			true,
		},
		{
			"a skip without a reason", pass + `{"Action":"skip","Package":"p","Test":"TestB"}`,
			"ok  \tp\t0.1s\nskipped, and test/skips.txt does not allow it: p/TestB: no reason given\n1 passed, 0 failed, 1 skipped\n",
			nil, false,
		},
		{
			"a failure shows all that was said",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}`,
			"    a_test.go:3: wrong\nFAIL\tp\t0.1s\n0 passed, 1 failed, 0 skipped\n", nil, false,
		},
		{
			"a package that dies shows its words",
			pass + `{"Action":"output","Package":"q","Output":"panic: no\n"}
{"Action":"fail","Package":"q"}`,
			"ok  \tp\t0.1s\npanic: no\n1 passed, 0 failed, 0 skipped\n", nil, true, // go test's own status fails the run
		},
		{
			"a build that breaks", `{"ImportPath":"p","Action":"build-output","Output":"p.go:1: no\n"}`,
			"p.go:1: no\nno test ran\n0 passed, 0 failed, 0 skipped\n", nil, false,
		},
		{"nothing ran", `{"Action":"skip","Package":"p"}`, "no test ran\n0 passed, 0 failed, 0 skipped\n", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			tally := newTally(&out)
			if err := tally.read(json.NewDecoder(strings.NewReader(c.events))); err != nil {
				t.Fatal(err)
			}
			ok := tally.close(c.allowed)
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
			if ok != c.ok {
				t.Errorf("close gives %v, want %v", ok, c.ok)
			}
		})
	}
}

func TestParseSkips(t *testing.T) {
	got, err := parseSkips("list", "# why\n\np/TestA\tno server\np/TestB/sub\tneeds root\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[skip]bool{{"p/TestA", "no server"}: true, {"p/TestB/sub", "needs root"}: true}, got, cmp.AllowUnexported(skip{})); diff != "" {
		t.Errorf("skips (-want +got):\n%s", diff)
	}
	for _, text := range []string{"p/TestA", "p/TestA\t", "\twhy", "p/TestA no tab"} {
		if _, err := parseSkips("list", "\n"+text); err == nil || !strings.HasPrefix(err.Error(), "list:2: ") {
			t.Errorf("parseSkips(%q) gives %v, want an error at line 2", text, err)
		}
	}
}

// The whole program, on a package with one test of each kind.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n\ngo 1.26\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) { t.Skip(\"needs a board\") }\n",
		"none":      "",
		"listed":    "m/TestB\tneeds a board\n",
		"broken":    "m/TestB\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, c := range []struct {
		list string
		want int
	}{{"none", 1}, {"listed", 0}, {"broken", 2}, {"missing", 2}} {
		var out, errs strings.Builder
		if got := run([]string{"-skips", c.list, "--", "./..."}, &out, &errs); got != c.want {
			t.Errorf("with the list %q the status is %d, want %d\n%s%s", c.list, got, c.want, out.String(), errs.String())
		}
	}
}
