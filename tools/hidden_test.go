package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hardshell/policy"
)

// keepingPolicy keeps what is called secret.
type keepingPolicy struct{ *fakePolicy }

func (keepingPolicy) Unreadable(_ policy.Facts, abs string) bool {
	return strings.HasPrefix(filepath.Base(abs), "secret") || strings.Contains(abs, "/up/vault")
}

// TestCase139_CommandsThatWalkDoNotSeeSecrets: grep -r, tar and make never name the
// secret that they would read.
func TestCase139_CommandsThatWalkDoNotSeeSecrets(t *testing.T) {
	d := newDoor(t)
	for _, f := range []string{"log.txt", "secret.txt", "sub/secrets/key", "sub/secrets/deep/key", ".git/objects/secret"} {
		d.file(t, f, "x")
	}
	if err := os.Symlink("log.txt", filepath.Join(d.dir, "secret-link")); err != nil {
		t.Fatal(err)
	}
	keep := keepingPolicy{d.policy}
	d.cfg.Policy = func() Policy { return keep }
	got := d.call(t, "exec", `{"argv":["true"]}`)
	diff(t, "hidden", d.launcher.ran[0].Hidden, []string{d.dir + "/secret.txt", d.dir + "/sub/secrets"})
	diff(t, "result", got.Text, "[exit 0, no output, cwd "+d.dir+"]\n[commands can't see secret.txt and 1 more that are kept from them, nor move sub above it]")
}

// TestFoldersAboveASecretStay: a command in the background that moves such a folder to
// and fro would lay the secret open to the next one, which hides it where it was.
func TestFoldersAboveASecretStay(t *testing.T) {
	d := newDoor(t)
	for _, f := range []string{"a/up/vault/key", "a/up/other", "b/secret.txt", "c/log.txt"} {
		d.file(t, f, "x")
	}
	keep := keepingPolicy{d.policy}
	d.cfg.Policy = func() Policy { return keep }
	got := d.call(t, "exec", `{"argv":["true"]}`)
	diff(t, "hidden", d.launcher.ran[0].Hidden, []string{d.dir + "/a/up/vault", d.dir + "/b/secret.txt"})
	diff(t, "pinned", d.launcher.ran[0].Pinned, []string{d.dir + "/a", d.dir + "/a/up", d.dir + "/b"})
	diff(t, "result", got.Text, "[exit 0, no output, cwd "+d.dir+"]\n[commands can't see a/up/vault and 1 more that are kept from them, nor move a above it]")
}

// TestFoldersThatCantBeLookedThroughAreHidden: their owner opens them whenever it likes.
func TestFoldersThatCantBeLookedThroughAreHidden(t *testing.T) {
	if os.Geteuid() == 0 {
		asOrdinaryUser(t)
		return
	}
	d := newDoor(t)
	d.file(t, "open/closed/secret.txt", "x")
	closed := filepath.Join(d.dir, "open/closed")
	if err := os.Chmod(closed, 0o100); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	keep := keepingPolicy{d.policy}
	d.cfg.Policy = func() Policy { return keep }
	d.call(t, "exec", `{"argv":["true"]}`)
	diff(t, "hidden", d.launcher.ran[0].Hidden, []string{closed})
	diff(t, "pinned", d.launcher.ran[0].Pinned, []string{d.dir + "/open"})
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
	*fakePolicy
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
		d.file(t, name, "x")
		d.link(t, name, "vault")
		deep := deepPolicy{d.policy, form}
		d.cfg.Policy = func() Policy { return deep }
		d.call(t, "exec", `{"argv":["true"]}`)
		diff(t, form, d.launcher.ran[0].Hidden, []string{d.dir + "/" + name})
		var up []string
		for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
			up = append([]string{d.dir + "/" + dir}, up...)
		}
		diff(t, form+" pinned", d.launcher.ran[0].Pinned, up)
	}
}

// TestGrantThatALinkLeadsOutOf: what a rule grants of /dev never reaches elsewhere.
func TestGrantThatALinkLeadsOutOf(t *testing.T) {
	d := newDoor(t)
	d.file(t, "dev/snd", "x")
	d.file(t, "other", "x")
	d.link(t, "../other", "dev/out")
	d.link(t, "snd", "dev/in")
	got, err := granted([]string{d.dir + "/dev/*"}, d.dir+"/dev/")
	diff(t, "granted", []any{got, err}, []any{[]string{d.dir + "/dev/in", d.dir + "/dev/snd"}, nil})
}
