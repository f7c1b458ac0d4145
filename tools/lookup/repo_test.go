package lookup

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGitRuns finds what could make git run programs, and leaves ordinary
// repositories alone.
func TestGitRuns(t *testing.T) {
	const ordinary = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote \"origin\"]\n\turl = ssh://lab/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n" +
		"# a comment\n[branch \"main\"]\n\tremote = origin\n\n[user]\n\tname = Lab\n[alias]\n\tst = status\n"
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"ordinary", ".git/config", ordinary, nil},
		{"carriage returns", ".git/config", "[core]\r\n\tbare = false\r\n", nil},
		{"fsmonitor", ".git/config", "[core]\n\tfsmonitor = sh x.sh\n", []string{".git/config: core.fsmonitor = sh x.sh"}},
		{"capitals", ".git/config", "[CORE]\n\tFSMonitor=true\n", []string{".git/config: core.FSMonitor=true"}},
		{"filter and textconv", ".git/config", "[filter \"e\"]\n clean = x\n[diff \"e\"]\n textconv = y\n", []string{".git/config: filter.clean = x", ".git/config: diff.textconv = y"}},
		{"external diff", ".git/config", "[diff]\n external = x\n", []string{".git/config: diff.external = x"}},
		{"dotted section", ".git/config", "[filter.e]\nclean = x\n", []string{".git/config: .[filter.e]", ".git/config: .clean = x"}},
		{"one line", ".git/config", "[core] pager = x\n", []string{".git/config: .[core] pager = x"}},
		{"continued", ".git/config", "[user]\nname = a\\\n[core]\n", []string{`.git/config: user.name = a\`}},
		{"include", ".git/config", "[include]\npath = ../c\n", []string{".git/config: include.path = ../c"}},
		{"lazy fetch", ".git/config", "[remote \"o\"]\npromisor = true\n", []string{".git/config: remote.promisor = true"}},
		{"mark at the beginning", ".git/config", "\ufeff[core]\nbare = false\n", []string{".git/config: .[core]", ".git/config: .bare = false"}},
		{"submodule", ".git/modules/s/config", "[core]\nsshcommand = x\n", []string{".git/modules/s/config: core.sshcommand = x"}},
		{"repository without a work tree", "sub/config", "[core]\nhookspath = x\n", []string{"sub/config: core.hookspath = x"}},
		{"of a work tree", ".git/config.worktree", "[pager]\nlog = x\n", []string{".git/config.worktree: pager.log = x"}},
		{"no repository", "app/etc/config", "[core]\nfsmonitor = x\n", nil},
	}
	for _, test := range tests {
		d := newSpace(t)
		d.file(t, test.file, test.text)
		if test.name != "no repository" {
			d.file(t, filepath.Join(filepath.Dir(test.file), "HEAD"), "ref: refs/heads/main\n")
		}
		equal(t, test.name, GitRuns(d.dir), test.want)
	}
	d := newSpace(t)
	d.file(t, ".git/refs/heads/x", "")
	if err := os.Symlink("../c", filepath.Join(d.dir, ".git/config")); err != nil {
		t.Fatal(err)
	}
	equal(t, "a link", GitRuns(d.dir), []string{".git/config: a link, or too large to look through"})
}
