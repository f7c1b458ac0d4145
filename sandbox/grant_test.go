package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadShowsWhatWasGrantedAndNoMore(t *testing.T) {
	outside := t.TempDir()
	for name, text := range map[string]string{"syslog": "granted\n", "auth": "not granted\n", "tree/a/b": "deep\n"} {
		path := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("tree", filepath.Join(outside, "way")); err != nil {
		t.Fatal(err)
	}
	l := newLab(t)
	out, _ := l.sh(t, fmt.Sprintf("cd %s; cat syslog way/a/b; cat auth 2>/dev/null; ls; echo x >> syslog; echo x > way/a/c", outside), func(s *Spec) {
		s.Read = []string{outside + "/syslog", outside + "/way/a/b", outside + "/gone"}
	})
	for _, want := range []string{"granted\ndeep\nsyslog\ntree\nway\n", "cannot create"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %q", want, out)
		}
	}
	if strings.Contains(out, "not granted") {
		t.Errorf("saw too much: %q", out)
	}
	b, err := os.ReadFile(filepath.Join(outside, "syslog"))
	diff(t, "syslog", []any{string(b), err}, []any{"granted\n", nil})
}

func TestReadInTheWorkspaceLeavesItWritable(t *testing.T) {
	l := newLab(t)
	if err := os.WriteFile(filepath.Join(l.dir, "log"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, x := l.sh(t, "echo b >> log && cat log", func(s *Spec) { s.Read = []string{l.dir + "/log"} })
	diff(t, "output", []any{out, x.Code}, []any{"a\nb\n", 0})
}

func TestDevicesAreGrantedOneByOne(t *testing.T) {
	l := newLab(t)
	const node = "/dev/fuse" // stands for a sound card: a node that no command has by itself
	if _, err := os.Stat(node); err != nil {
		out, x := l.sh(t, "ls -d "+node)
		diff(t, "not even there", []any{out != "", x.Code}, []any{true, 2})
		return
	}
	out, _ := l.sh(t, "test -c "+node+" && echo there")
	diff(t, "not granted", out, "")
	out, _ = l.sh(t, "test -c "+node+" && echo there; ls /dev | wc -l", func(s *Spec) { s.Devices = []string{node} })
	diff(t, "granted", out, "there\n11\n")
}

func TestProgramsOfTheWorkspaceRunWhenTheyWereJudged(t *testing.T) {
	l := newLab(t)
	path := filepath.Join(l.dir, "tool")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho ran\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	judged := func(s *Spec) { s.WritableRun = true }
	out, x := l.sh(t, "./tool", judged)
	diff(t, "judged", []any{out, x.Code}, []any{"ran\n", 0})
	out, x = l.sh(t, "./tool")
	diff(t, "not judged", []any{strings.Contains(out, "ran"), x.Code}, []any{false, 126})
}

func TestHiddenFilesAndFolders(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"policy.toml", "conf/config.toml", "seen.txt"} {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("SECRET"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, err := New(Config{Workspace: dir, Hidden: []string{dir + "/policy.toml", dir + "/conf", dir + "/gone"}})
	if err != nil {
		t.Fatal(err)
	}
	box := &lab{Launcher: l, dir: l.cfg.Workspace}
	out, _ := box.sh(t, "cat policy.toml conf/config.toml; ls conf; echo x > policy.toml; rm -rf policy.toml conf; mv seen.txt policy.toml; echo end")
	if strings.Contains(out, "SECRET") || !strings.Contains(out, "end") {
		t.Errorf("got %q", out)
	}
	for _, f := range []string{"policy.toml", "conf/config.toml"} {
		b, err := os.ReadFile(filepath.Join(dir, f))
		diff(t, f, []any{string(b), err}, []any{"SECRET", nil})
	}
}

// TestWhatIsHiddenKeepsItsName: a command that moves a folder above what is hidden would
// move the cover with it, leave the place to a file of its own, and give the secret a
// name of which no rule speaks.
func TestWhatIsHiddenKeepsItsName(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"a/b/policy.toml", "a/b/seen", "h/.config/gcloud/key", "h/.config/seen", "other/seen"} {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("SECRET"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, err := New(Config{Workspace: dir, Hidden: []string{dir + "/a/b/policy.toml", dir + "/a/gone/state"}})
	if err != nil {
		t.Fatal(err)
	}
	box := &lab{Launcher: l, dir: l.cfg.Workspace}
	const script = `mv a x && echo OUT; mv a/b x && echo OUT; mv a/b a/c && echo OUT; mkdir -p a/b; echo x > a/b/policy.toml
mv h/.config h/c && echo OUT; rm -rf a h; cat a/b/policy.toml h/.config/gcloud/key
mv h moved && mv other o && ls o; mkdir a/b/new && mv a/b/new a/b/new2 && echo mine > a/b/new2/f && cat a/b/new2/f`
	out, _ := box.sh(t, script, func(s *Spec) {
		s.Hidden, s.Pinned = []string{box.dir + "/h/.config/gcloud"}, []string{box.dir + "/h/.config", box.dir + "/gone"}
	})
	if strings.Contains(out, "SECRET") || strings.Contains(out, "OUT\n") || !strings.HasSuffix(out, "seen\nmine\n") {
		t.Errorf("got %q", out)
	}
	for _, f := range []string{"a/b/policy.toml", "moved/.config/gcloud/key"} {
		b, err := os.ReadFile(filepath.Join(dir, f))
		diff(t, f, []any{string(b), err}, []any{"SECRET", nil})
	}
}

func TestEnvironmentIsTheFixedOneAndWhatWasAdded(t *testing.T) {
	l := newLab(t)
	t.Setenv("LD_PRELOAD_TEST", "1")
	var got []string
	l.sh(t, "", func(s *Spec) {
		s.Path, s.Argv, s.Env = real(t, "/usr/bin/env"), []string{"env"}, []string{"LAB=1"}
		s.Output = func(p []byte) { got = append(got, strings.Split(strings.TrimSpace(string(p)), "\n")...) }
	})
	diff(t, "environment", got, append(environment("/tmp"), "LAB=1"))
}

// TestASecretThatMovedRunsNothing: somebody gave it another name after it was looked for.
func TestASecretThatMovedRunsNothing(t *testing.T) {
	l := newLab(t)
	if err := os.Symlink("elsewhere", l.dir+"/link"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/a/.env", "/link"} {
		ran := false
		_, err := l.Run(t.Context(), Spec{
			Path: real(t, "/bin/echo"), Argv: []string{"echo"}, Hidden: []string{l.dir + name}, Output: func([]byte) { ran = true },
		})
		diff(t, "error", []any{fmt.Sprint(err), ran}, []any{l.dir + name + ", which must be hidden from commands, was moved or removed meanwhile; run it again", false})
	}
}

// TestWhatIsLockedIsOnlyLookedAt: git runs what a repository names, so no command but git
// writes there.
func TestWhatIsLockedIsOnlyLookedAt(t *testing.T) {
	l := newLab(t)
	for _, f := range []string{"p/.git/config", "p/.git/hooks/sample", "sub/.git", "p/seen"} {
		mkdir(t, filepath.Dir(filepath.Join(l.dir, f)))
		if err := os.WriteFile(filepath.Join(l.dir, f), []byte("harmless\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const script = `echo OUT >> p/.git/config; echo OUT > p/.git/hooks/pre-commit; mv p/.git g && echo OUT; rm -rf p/.git; echo OUT > sub/.git; mv sub/.git sub/g && echo OUT
ln p/.git/config c && echo OUT; chmod 777 p/.git/config && echo OUT; cat p/.git/config sub/.git; mv p q && echo x > q/seen && cat q/seen; echo OUT > q/.git/hooks/pre-commit`
	out, _ := l.sh(t, script, func(s *Spec) { s.Locked = []string{l.dir + "/p/.git", l.dir + "/sub/.git"} })
	if strings.Contains(out, "OUT\n") || !strings.Contains(out, "harmless\nharmless\nx\n") {
		t.Errorf("got %q", out)
	}
	got, err := filepath.Glob(l.dir + "/q/.git/hooks/*")
	diff(t, "hooks", []any{got, err}, []any{[]string{l.dir + "/q/.git/hooks/sample"}, nil})
	_, err = l.Run(t.Context(), Spec{Path: real(t, "/bin/true"), Argv: []string{"true"}, Locked: []string{l.dir + "/gone/.git"}})
	diff(t, "one that moved", fmt.Sprint(err), l.dir+"/gone/.git, which commands must not change, was moved or removed meanwhile; run it again")
}
