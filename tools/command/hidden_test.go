package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// keepingPolicy keeps what is called secret.
type keepingPolicy struct{ *toolstest.Policy }

func (keepingPolicy) Unreadable(_ policy.Facts, abs string) bool {
	return strings.HasPrefix(filepath.Base(abs), "secret") || strings.Contains(abs, "/up/vault")
}

// TestCase139_CommandsThatWalkDoNotSeeSecrets: grep -r, tar and make never name the
// secret that they would read.
func TestCase139_CommandsThatWalkDoNotSeeSecrets(t *testing.T) {
	d := newDoor(t)
	for _, f := range []string{"log.txt", "secret.txt", "sub/secrets/key", "sub/secrets/deep/key", ".git/objects/secret"} {
		d.File(t, f, "x")
	}
	if err := os.Symlink("log.txt", filepath.Join(d.Dir, "secret-link")); err != nil {
		t.Fatal(err)
	}
	keep := keepingPolicy{d.Policy}
	d.With(func(cfg *tools.Config) { cfg.Policy = func() tools.Policy { return keep } })
	got := d.Do(t, "exec", `{"argv":["true"]}`)
	toolstest.Diff(t, "hidden", d.Launcher.Ran[0].Hidden, []string{d.Dir + "/secret.txt", d.Dir + "/sub/secrets"})
	toolstest.Diff(t, "result", got.Text, "[exit 0, no output, cwd "+d.Dir+"]\n[commands can't see secret.txt and 1 more that are kept from them, nor move sub above it]")
}

// TestFoldersAboveASecretStay: a command in the background that moves such a folder to
// and fro would lay the secret open to the next one, which hides it where it was.
func TestFoldersAboveASecretStay(t *testing.T) {
	d := newDoor(t)
	for _, f := range []string{"a/up/vault/key", "a/up/other", "b/secret.txt", "c/log.txt"} {
		d.File(t, f, "x")
	}
	keep := keepingPolicy{d.Policy}
	d.With(func(cfg *tools.Config) { cfg.Policy = func() tools.Policy { return keep } })
	got := d.Do(t, "exec", `{"argv":["true"]}`)
	toolstest.Diff(t, "hidden", d.Launcher.Ran[0].Hidden, []string{d.Dir + "/a/up/vault", d.Dir + "/b/secret.txt"})
	toolstest.Diff(t, "pinned", d.Launcher.Ran[0].Pinned, []string{d.Dir + "/a", d.Dir + "/a/up", d.Dir + "/b"})
	toolstest.Diff(t, "result", got.Text, "[exit 0, no output, cwd "+d.Dir+"]\n[commands can't see a/up/vault and 1 more that are kept from them, nor move a above it]")
}

// TestFoldersThatCantBeLookedThroughAreHidden: their owner opens them whenever it likes.
func TestFoldersThatCantBeLookedThroughAreHidden(t *testing.T) {
	if os.Geteuid() == 0 {
		asOrdinaryUser(t)
		return
	}
	d := newDoor(t)
	d.File(t, "open/closed/secret.txt", "x")
	closed := filepath.Join(d.Dir, "open/closed")
	if err := os.Chmod(closed, 0o100); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	keep := keepingPolicy{d.Policy}
	d.With(func(cfg *tools.Config) { cfg.Policy = func() tools.Policy { return keep } })
	d.Do(t, "exec", `{"argv":["true"]}`)
	toolstest.Diff(t, "hidden", d.Launcher.Ran[0].Hidden, []string{closed})
	toolstest.Diff(t, "pinned", d.Launcher.Ran[0].Pinned, []string{d.Dir + "/open"})
}

// asOrdinaryUser runs the test anew as a user without any privilege.
func asOrdinaryUser(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ordinary-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", "^"+t.Name()+"$")
	cmd.Env, cmd.Dir = []string{"TMPDIR=" + dir, "PATH=/usr/bin:/bin"}, dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1234, Gid: 1234}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as user 1234: %v\n%s", err, out)
	}
}

// deepPolicy knows a vault by how deep it lies.
type deepPolicy struct {
	*toolstest.Policy
	form string // beneath the workspace
}

func (p deepPolicy) Unreadable(f policy.Facts, abs string) bool {
	ok, err := filepath.Match(f.Roots["workspace"]+p.form, abs)
	return ok && err == nil
}

// TestFoldersThatASecretIsKnownByTheDepthOf: moved up or down, it would be none.
func TestFoldersThatASecretIsKnownByTheDepthOf(t *testing.T) {
	for form, name := range map[string]string{"/*/vault": "a/vault", "/*/*/vault": "a/b/vault"} {
		d := newDoor(t)
		d.File(t, name, "x")
		d.Link(t, name, "vault")
		deep := deepPolicy{d.Policy, form}
		d.With(func(cfg *tools.Config) { cfg.Policy = func() tools.Policy { return deep } })
		d.Do(t, "exec", `{"argv":["true"]}`)
		toolstest.Diff(t, form, d.Launcher.Ran[0].Hidden, []string{d.Dir + "/" + name})
		var up []string
		for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
			up = append([]string{d.Dir + "/" + dir}, up...)
		}
		toolstest.Diff(t, form+" pinned", d.Launcher.Ran[0].Pinned, up)
	}
}

// TestGrantThatALinkLeadsOutOf: what a rule grants of /dev never reaches elsewhere.
func TestGrantThatALinkLeadsOutOf(t *testing.T) {
	d := newDoor(t)
	d.File(t, "dev/snd", "x")
	d.File(t, "other", "x")
	d.Link(t, "../other", "dev/out")
	d.Link(t, "snd", "dev/in")
	got, err := granted([]string{d.Dir + "/dev/*"}, d.Dir+"/dev/")
	toolstest.Diff(t, "granted", []any{got, err}, []any{[]string{d.Dir + "/dev/in", d.Dir + "/dev/snd"}, nil})
}

func TestStartsNote(t *testing.T) {
	for n, want := range map[int]string{
		0: "", 1: "did not start: p0", 5: "did not start: p0; p1; p2; p3; p4", 7: "did not start: p0; p1; p2; p3; p4; and 2 more, see agent audit show",
	} {
		toolstest.Diff(t, want, startsNote([]string{"p0", "p1", "p2", "p3", "p4", "p5", "p6"}[:n]), want)
	}
}
