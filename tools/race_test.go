package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hardshell/policy"
)

// rounds bounds the races: enough to hit the gap many times, in a second or two.
const rounds = 400

// swapper turns a name into a link to outside and back, as fast as it can.
func swapper(t *testing.T, dir, name, outside string) (stop func()) {
	t.Helper()
	path, spare, link := filepath.Join(dir, name), filepath.Join(dir, ".spare"), filepath.Join(dir, ".link")
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if os.Rename(path, spare) == nil && os.Symlink(outside, link) == nil {
				_ = os.Rename(link, path)
				_ = os.Remove(path)
			}
			_ = os.Rename(spare, path)
		}
	})
	return func() { close(done); wg.Wait() }
}

// TestFolderSwappedForALinkBetweenCheckAndUse: whatever the moment, nothing outside
// is read or written.
func TestFolderSwappedForALinkBetweenCheckAndUse(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		outside := t.TempDir()
		secret := filepath.Join(outside, "f.txt")
		if err := os.WriteFile(secret, []byte("LEAKED"), 0o644); err != nil {
			t.Fatal(err)
		}
		d.file(t, "sub/f.txt", "inside")
		stop := swapper(t, d.dir, "sub", outside)
		seen := map[Outcome]int{}
		for i := range rounds {
			got := d.call(t, "read", `{"path":"sub/f.txt"}`)
			seen[got.Outcome]++
			if strings.Contains(got.Text, "LEAKED") {
				t.Fatalf("round %d: read outside", i)
			}
			got = d.call(t, "write", fmt.Sprintf(`{"path":"sub/w%d/x","content":"x"}`, i%7))
			seen[got.Outcome]++
		}
		stop()
		if left, _ := os.ReadDir(outside); len(left) != 1 {
			t.Errorf("written outside: %v", left)
		}
		t.Log(seen)
		if seen[OK] == 0 || seen[Refused]+seen[Failed] == 0 {
			t.Errorf("the race was never close: %v", seen)
		}
	})
}

// TestFileSwappedForALinkWhilePolicyThinks: the swap happens exactly between the
// judgement and the act.
func TestFileSwappedForALinkWhilePolicyThinks(t *testing.T) {
	onBoth(t, func(t *testing.T, d *door) {
		outside := t.TempDir()
		secret := filepath.Join(outside, "secret")
		if err := os.WriteFile(secret, []byte("LEAKED old"), 0o644); err != nil {
			t.Fatal(err)
		}
		swap := func(name string) {
			path := filepath.Join(d.dir, name)
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
		} {
			for _, name := range []string{"f", "dir", "new"} {
				if err := os.RemoveAll(filepath.Join(d.dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			d.file(t, "f", "inside old")
			d.file(t, "dir/secret", "inside old")
			d.policy.decide = func(policy.Action, policy.Facts) policy.Decision {
				swap(c.swapped)
				return policy.Decision{Verdict: policy.Allow}
			}
			got := d.call(t, c.tool, c.args)
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

// TestManyCallsAtOnce is for the race detector.
func TestManyCallsAtOnce(t *testing.T) {
	d := newDoor(t)
	d.file(t, "a.txt", "x\n")
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for _, c := range [][2]string{
				{"read", `{"path":"a.txt"}`}, {"write", fmt.Sprintf(`{"path":"w%d","content":"y"}`, i)}, {"session_status", `{}`}, {"calc", `{}`},
			} {
				if _, err := d.Call(t.Context(), person, Call{Name: c[0], Args: json.RawMessage(c[1])}, nil); err != nil {
					t.Error(err)
				}
			}
			d.Specs()
		})
	}
	wg.Wait()
	diff(t, "records", len(d.auditor.records), 16*3*2)
}
