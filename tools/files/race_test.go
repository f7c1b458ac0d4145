package files

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// rounds is how often a check and a use run against somebody who swaps names, on each
// of the two roads; an emulated machine tries fewer (-short).
func rounds() int {
	if testing.Short() {
		return 2_000
	}
	return 50_000
}

// swap is a name that is swapped for a link to outside.
type swap struct{ name, outside string }

// swapper exchanges names of a folder with links and back, as fast as it can.
func swapper(t *testing.T, dir string, names []swap) (stop func()) {
	t.Helper()
	link := func(s swap) string { return filepath.Join(dir, ".link-"+s.name) }
	for _, s := range names {
		if err := os.Symlink(s.outside, link(s)); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		buf := make([]byte, 8)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			s := names[i%len(names)]
			path, other := filepath.Join(dir, s.name), link(s)
			for range 2 {
				if err := unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE); err != nil {
					t.Errorf("swap %s: %v", path, err)
					return
				}
			}
			// Somebody may have put a file in the place of the link.
			if _, err := unix.Readlink(other, buf); err != nil {
				_ = os.Remove(other)
				_ = os.Symlink(s.outside, other)
			}
		}
	})
	return sync.OnceFunc(func() { close(done); wg.Wait() })
}

// inMemory is a folder on a file system without a disk, where there is one: what
// races is the kernel's names, and syncing would take most of the time.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "hardshell-race-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestNameSwappedForALinkBetweenCheckAndUse: 100,000 rounds of read, write, edit and
// apply_patch while folders and files are swapped for links to outside. Whatever the
// moment, nothing outside is read, written or deleted.
func TestNameSwappedForALinkBetweenCheckAndUse(t *testing.T) {
	for _, way := range []struct {
		name string
		open beneath
	}{{"openat2", openat2}, {"walk", func(int, string, uint64) (int, error) { return -1, unix.ENOSYS }}} {
		t.Run(way.name, func(t *testing.T) { race(t, way.open) })
	}
}

func race(t *testing.T, open beneath) {
	top := inMemory(t)
	ws, outside := filepath.Join(top, "ws"), filepath.Join(top, "outside")
	names := []string{"read.txt", "write.txt", "edit.txt", "patch.txt", "gone.txt"}
	for dir, text := range map[string]string{ws: "inside A\n", filepath.Join(ws, "sub"): "inside A\n", outside: "LEAKED A\n"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := tree(t, outside)
	roots, err := NewRoots(ws)
	if err != nil {
		t.Fatal(err)
	}
	roots.open = open
	r := racer{files: Config{Roots: roots}, journal: filepath.Join(top, "journal"), seen: map[string]int{}, now: map[string]string{}}
	swaps := []swap{{"sub", outside}}
	for _, name := range names[:4] {
		swaps = append(swaps, swap{name, filepath.Join(outside, name)})
	}
	stop := swapper(t, ws, swaps)
	defer stop()
	for i := range rounds() {
		r.round(t, i)
	}
	stop()
	toolstest.Diff(t, "outside", tree(t, outside), before)
	t.Log(r.seen)
	for _, tool := range []string{"read", "write", "edit", "apply_patch"} {
		if r.seen[tool+" ok"] < rounds()/1000 || r.seen[tool+" not"] < rounds()/1000 {
			t.Errorf("%s was never close to the gap: %v", tool, r.seen)
		}
	}
}

// racer calls file tools as the registry does, without a record of each call.
type racer struct {
	files   Config
	journal string
	seen    map[string]int
	now     map[string]string // the letter that a file is thought to hold; A when it is not here
}

// round is one check and use.
func (r *racer) round(t *testing.T, i int) {
	var tool tools.Tool
	args, dir := "", [...]string{"", "sub/"}[i/10%2]
	path := dir + [...]string{"read", "read", "read", "read", "read", "read", "write", "new/x", "edit", "patch"}[i%10] + ".txt"
	from, to := "A", "B"
	if r.now[path] == "B" {
		from, to = to, from
	}
	switch i % 10 {
	default:
		tool, args = NewRead(r.files), fmt.Sprintf(`{"path":%q}`, path)
	case 6:
		tool, args = NewWrite(r.files), fmt.Sprintf(`{"path":%q,"content":"inside %s\n"}`, path, to)
	case 7:
		tool, args = NewWrite(r.files), fmt.Sprintf(`{"path":"sub/new%d/x","content":"x"}`, i/10%7)
	case 8:
		tool, args = NewEdit(r.files), fmt.Sprintf(`{"path":%q,"old":"%s\n","new":"%s\n"}`, path, from, to)
	case 9:
		lines := fmt.Sprintf("*** Update File: %s\n@@\n-inside %s\n+inside %s\n", path, from, to)
		if dir != "" {
			lines += map[string]string{"A": "*** Delete File: sub/gone.txt\n", "B": "*** Add File: sub/gone.txt\n+inside A\n"}[from]
		}
		tool, args = NewApplyPatch(r.files, r.journal), patchOf(lines)
	}
	ok, text := r.call(t, tool, args)
	if strings.Contains(text, "LEAKED") {
		t.Fatalf("round %d: %s %s gives %s", i, tool.Spec().Name, args, text)
	}
	if ok || strings.Contains(text, "not stand") { // its place may have been taken back by the swap
		r.now[path] = to
	}
	r.seen[tool.Spec().Name+map[bool]string{true: " ok", false: " not"}[ok]]++
}

// Do plans and does.
func (r *racer) call(t *testing.T, tool tools.Tool, args string) (ok bool, text string) {
	p, err := tool.Prepare(t.Context(), toolstest.Person, json.RawMessage(args))
	if p.Close != nil {
		defer p.Close()
	}
	if err != nil {
		return false, err.Error()
	}
	out, err := p.Do(t.Context(), tools.Judged{}, nil)
	if err != nil {
		return false, err.Error()
	}
	return true, out.Text
}

// TestFileSwappedForALinkWhilePolicyThinks: the swap happens exactly between the
// judgement and the act.
func TestFileSwappedForALinkWhilePolicyThinks(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		d.withPatch(t)
		outside := t.TempDir()
		secret := filepath.Join(outside, "secret")
		if err := os.WriteFile(secret, []byte("LEAKED old"), 0o644); err != nil {
			t.Fatal(err)
		}
		swap := func(name string) {
			path := filepath.Join(d.Dir, name)
			if err := os.RemoveAll(path); err != nil {
				t.Error(err)
			}
			if err := os.Symlink(outside, path); err != nil {
				t.Error(err)
			}
		}
		for _, c := range []struct{ tool, swapped, args, want string }{
			{"read", "f", `{"path":"f"}`, "inside old"},
			{"read", "dir", `{"path":"dir/secret"}`, "inside old"},
			{"write", "f", `{"path":"f","content":"new"}`, "failed: f was changed by someone else meanwhile and was left alone; read it again"},
			{"edit", "f", `{"path":"f","old":"old","new":"new"}`, "failed: f was changed by someone else meanwhile and was left alone; read it again"},
			{"write", "dir", `{"path":"dir/made/secret","content":"new"}`, "failed: the folder"},
			{"write", "new", `{"path":"new/secret","content":"new"}`, "failed: the folder new for new/secret can't be opened"},
			{"write", "new", `{"path":"new","content":"new"}`, "failed: new appeared meanwhile"},
			{"apply_patch", "f", patchOf("*** Add File: made/x\n+x\n*** Update File: f\n@@\n-inside old\n+new\n"), "failed: f was changed by someone else meanwhile and was left alone; read it again. Nothing was changed"},
			{"apply_patch", "f", patchOf("*** Delete File: f\n"), "failed: f was changed by someone else meanwhile"},
			{"apply_patch", "dir", patchOf("*** Delete File: dir/secret\n"), "failed: "},
			{"apply_patch", "dir", patchOf("*** Update File: dir/secret\n@@\n-inside old\n+new\n"), "failed: "},
			{"apply_patch", "new", patchOf("*** Delete File: dir/secret\n*** Add File: new/secret\n+x\n"), "failed: the folder new for new/secret can't be opened"},
		} {
			for _, name := range []string{"f", "dir", "new"} {
				if err := os.RemoveAll(filepath.Join(d.Dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			d.File(t, "f", "inside old")
			d.File(t, "dir/secret", "inside old")
			d.Policy.Judge = func(policy.Action, policy.Facts) policy.Decision {
				swap(c.swapped)
				return policy.Decision{Verdict: policy.Allow}
			}
			got := d.Do(t, c.tool, c.args)
			if !strings.HasPrefix(got.Text, c.want) {
				t.Errorf("%s %s: %q, want %q", c.tool, c.args, got.Text, c.want)
			}
			b, err := os.ReadFile(secret)
			if left, _ := os.ReadDir(outside); err != nil || string(b) != "LEAKED old" || len(left) != 1 {
				t.Fatalf("%s %s: outside now holds %q %v", c.tool, c.args, b, left)
			}
		}
	})
}
