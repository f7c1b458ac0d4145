package tools

import (
	"os"
	"path/filepath"
	"strings"
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
	diff(t, "result", got.Text, "[exit 0, no output, cwd "+d.dir+"]\n[commands can't see secret.txt and 1 more that policy keeps secret]")
}

// TestFoldersThatASecretIsKnownByStay: policy knows up/vault by both names, so that a
// command which moves "up" would read the vault as soon as it is called otherwise. The
// folder above "up" may move.
func TestFoldersThatASecretIsKnownByStay(t *testing.T) {
	d := newDoor(t)
	for _, f := range []string{"a/up/vault/key", "a/up/other", "b/secret.txt"} {
		d.file(t, f, "x")
	}
	keep := keepingPolicy{d.policy}
	d.cfg.Policy = func() Policy { return keep }
	got := d.call(t, "exec", `{"argv":["true"]}`)
	diff(t, "hidden", d.launcher.ran[0].Hidden, []string{d.dir + "/a/up/vault", d.dir + "/b/secret.txt"})
	diff(t, "pinned", d.launcher.ran[0].Pinned, []string{d.dir + "/a/up"})
	diff(t, "result", got.Text, "[exit 0, no output, cwd "+d.dir+"]\n[commands can't see a/up/vault and 1 more that policy keeps secret, nor move a/up above it]")
}
