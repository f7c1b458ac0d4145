package files

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// steps makes a commit of the patch that the crash tests use, ready to run.
func steps(t *testing.T, d *door) *commit {
	t.Helper()
	for name, text := range map[string]string{"a.txt": "old a\n", "b.txt": "old b\n", "gone.txt": "old g\n", "sub/s.txt": "old s\n"} {
		d.File(t, name, text)
	}
	c := &commit{roots: d.roots, dir: d.journal}
	for path, s := range map[string]*step{
		"a.txt": {old: []byte("old a\n"), now: []byte("new a\n")}, "b.txt": {old: []byte("old b\n"), now: []byte("new b\n")},
		"gone.txt": {old: []byte("old g\n"), remove: true}, "sub/s.txt": {old: []byte("old s\n"), now: []byte("new s\n")}, "n/deep/new.txt": {now: []byte("new n\n")}, "n/other.txt": {now: []byte("new o\n")},
	} {
		at, err := d.roots.target(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(at.Close)
		s.at, s.like = at, at.info
		c.add(s)
		e, err := s.entry()
		if err != nil {
			t.Fatal(err)
		}
		c.log.Files = append(c.log.Files, e)
	}
	c.log.Version = journalVersion
	if err := c.log.begin(c.dir); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPatchCutOffAnywhereIsTakenBack: after each single step of a commit, the next
// start brings every file back.
func TestPatchCutOffAnywhereIsTakenBack(t *testing.T) {
	old := map[string]string{"a.txt": "644 old a\n", "b.txt": "644 old b\n", "gone.txt": "644 old g\n", "sub/": "", "sub/s.txt": "644 old s\n"}
	for stop := range 13 {
		d, _ := patching(t)
		c := steps(t, d)
		for i := range stop {
			s, e := c.steps[i%6], c.log.Files[i%6]
			act := s.prepare
			if i >= 6 {
				act = s.place
			}
			if err := act(e); err != nil {
				t.Fatal(err)
			}
		}
		told, err := RecoverPatches(d.journal, d.roots)
		if err != nil || len(told) != 1 || !strings.Contains(told[0], "cut off and taken back: "+c.log.Files[0].Path) {
			t.Errorf("stopped after %d: %v %q", stop, err, told)
		}
		toolstest.Diff(t, fmt.Sprint("stopped after ", stop), tree(t, d.Dir), old)
		toolstest.Diff(t, "journal", tree(t, d.journal), map[string]string{})
	}
}

// TestPatchCutOffBehindItsEnd: a patch that is in place stays.
func TestPatchCutOffBehindItsEnd(t *testing.T) {
	d, _ := patching(t)
	c := steps(t, d)
	if err := c.forward(); err != nil {
		t.Fatal(err)
	}
	if err := c.finish(); err != nil {
		t.Fatal(err)
	}
	told, err := RecoverPatches(d.journal, d.roots)
	toolstest.Diff(t, "told", []any{err, told}, []any{error(nil), []string(nil)})
	toolstest.Diff(t, "files", tree(t, d.Dir), map[string]string{
		"a.txt": "644 new a\n", "b.txt": "644 new b\n", "sub/": "", "sub/s.txt": "644 new s\n", "n/": "", "n/deep/": "", "n/deep/new.txt": "644 new n\n", "n/other.txt": "644 new o\n",
	})
	toolstest.Diff(t, "journal", tree(t, d.journal), map[string]string{})
}

// TestPatchCutOffAndChangedSince: what somebody else wrote meanwhile is never
// written over, and it is said where the old text is.
func TestPatchCutOffAndChangedSince(t *testing.T) {
	d, _ := patching(t)
	c := steps(t, d)
	if err := c.forward(); err != nil {
		t.Fatal(err)
	}
	keep := ""
	for _, e := range c.log.Files {
		if strings.HasSuffix(e.Path, "/a.txt") {
			keep = e.Keep
		}
		if strings.HasSuffix(e.Path, "/b.txt") {
			d.File(t, e.Keep, "forged")
		}
	}
	d.File(t, "a.txt", "mine\n")
	d.File(t, "n/other.txt", "mine too\n")
	outside := t.TempDir()
	if err := os.Rename(filepath.Join(d.Dir, "n/deep"), filepath.Join(outside, "deep")); err != nil {
		t.Fatal(err)
	}
	d.Link(t, filepath.Join(outside, "deep"), "n/deep")
	if err := os.Rename(filepath.Join(d.Dir, "sub"), filepath.Join(d.Dir, "moved")); err != nil {
		t.Fatal(err)
	}
	d.Link(t, "moved", "sub")
	told, err := RecoverPatches(d.journal, d.roots)
	all := strings.Join(told, "\n")
	for _, want := range []string{
		"a.txt was changed by someone else since and is left as it is; what it held before the patch is in " + keep,
		"b.txt was changed by someone else since and is left as it is; what it held before the patch is gone",
		"n/other.txt was changed by someone else since and is left as it is", "can't be taken back: " + d.Dir + "/n/deep/new.txt",
		"can't be taken back: " + d.Dir + "/sub/s.txt: the folder " + d.Dir + "/sub is not where it was",
	} {
		if err != nil || !strings.Contains(all, want) {
			t.Errorf("%v: %q is missing in\n%s", err, want, all)
		}
	}
	now := tree(t, d.Dir)
	toolstest.Diff(t, "files", []string{now["a.txt"], now[keep], now["b.txt"], now["gone.txt"], now["n/other.txt"]}, []string{"644 mine\n", "644 old a\n", "644 new b\n", "644 old g\n", "644 mine too\n"})
	toolstest.Diff(t, "outside", tree(t, outside), map[string]string{"deep/": "", "deep/new.txt": "644 new n\n"})
	toolstest.Diff(t, "journal kept", len(tree(t, d.journal)), 1)
}

// TestPatchThatFailsAndWasChangedMeanwhile: a commit that breaks off says which file
// is not as it was and where its old text is, or that all are.
func TestPatchThatFailsAndWasChangedMeanwhile(t *testing.T) {
	for _, changed := range []bool{false, true} {
		d, _ := patching(t)
		c := steps(t, d)
		if err := c.forward(); err != nil {
			t.Fatal(err)
		}
		keep := ""
		for _, e := range c.log.Files {
			if strings.HasSuffix(e.Path, "/a.txt") {
				keep = e.Keep
			}
		}
		want := "the disk broke. Nothing was changed: every file of the patch is as it was"
		if changed {
			d.File(t, "a.txt", "mine\n")
			want = "the disk broke. The patch was taken back, but a.txt was changed by someone else since and is left as it is; what it held before the patch is in " + keep + " beside it"
		}
		if err := c.back(errors.New("the disk broke")); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		now := tree(t, d.Dir)
		toolstest.Diff(t, "files", []any{now["b.txt"], now["gone.txt"], now["a.txt"] == "644 mine\n", now[keep] == "644 old a\n"}, []any{"644 old b\n", "644 old g\n", changed, changed})
		toolstest.Diff(t, "journal", tree(t, d.journal), map[string]string{})
	}
}

// TestJournalThatCantBeRead is told at every start.
func TestJournalThatCantBeRead(t *testing.T) {
	d, _ := patching(t)
	for name, text := range map[string]string{
		"x.json": "{", "y.json": `{"version":2}`, "z.json.new": "half",
		"k.json": `{"version":1,"done":true,"files":[{"path":"` + d.Dir + `/a.txt","temp":".hardshell-1","keep":"../outside.txt"}]}`,
	} {
		if err := os.WriteFile(filepath.Join(d.journal, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(filepath.Dir(d.Dir), "outside.txt")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	told, err := RecoverPatches(d.journal, d.roots)
	toolstest.Diff(t, "outside", toolstest.There(outside), true)
	if err != nil || len(told) != 3 || !strings.Contains(told[1], "can't be read ("+d.journal+"/x.json)") {
		t.Errorf("%v %q", err, told)
	}
	toolstest.Diff(t, "left", len(tree(t, d.journal)), 3)
	told, err = RecoverPatches(filepath.Join(d.journal, "none"), d.roots)
	toolstest.Diff(t, "no journal", []any{told, err}, []any{[]string(nil), error(nil)})
}

// killRounds is how often the process that patches is killed.
const killRounds = 40

// TestPatchSurvivesKill kills a process that patches five files to and fro, at any
// instant: after the next start all of them are of one age.
func TestPatchSurvivesKill(t *testing.T) {
	d, _ := patching(t)
	if dir := os.Getenv("HARDSHELL_TEST_PATCH"); dir != "" {
		patchForEver(t, dir)
		return
	}
	for i := range 5 {
		d.File(t, fmt.Sprintf("f%d.txt", i), "even\n")
	}
	ages := map[string]int{}
	for round := range killRounds {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPatchSurvivesKill$", "-test.v")
		cmd.Env = append(os.Environ(), "HARDSHELL_TEST_PATCH="+d.Dir+":"+d.journal)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 4096) // it has begun
		if _, err := out.Read(buf); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(round) * 700 * time.Microsecond) // any instant will do
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
		told, err := RecoverPatches(d.journal, d.roots)
		if err != nil {
			t.Fatal(err)
		}
		ages["taken back"] += len(told)
		now := tree(t, d.Dir)
		if len(now) != 5 {
			t.Fatalf("round %d leaves %v", round, now)
		}
		for _, text := range now {
			if text != now["f0.txt"] {
				t.Fatalf("round %d: two ages: %v", round, now)
			}
		}
		ages[now["f0.txt"]]++
	}
	t.Log(ages)
	toolstest.Diff(t, "journal", tree(t, d.journal), map[string]string{})
}

// patchForEver is the process that is killed.
func patchForEver(t *testing.T, where string) {
	dir, journal, _ := strings.Cut(where, ":")
	roots, err := NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := newDoor(t)
	d.With(func(c *tools.Config) { c.Tools = []tools.Tool{NewApplyPatch(Config{Roots: roots}, journal)} })
	b, err := os.ReadFile(filepath.Join(dir, "f0.txt"))
	if err != nil {
		t.Fatal(err)
	}
	from, to := "even", "odd"
	if string(b) == "odd\n" {
		from, to = to, from
	}
	for {
		var lines strings.Builder
		for i := range 5 {
			fmt.Fprintf(&lines, "*** Update File: f%d.txt\n@@\n-%s\n+%s\n", i, from, to)
		}
		if got := d.Do(t, "apply_patch", patchOf(lines.String())); got.Outcome != tools.OK {
			t.Fatal(got.Text)
		}
		from, to = to, from
	}
}
