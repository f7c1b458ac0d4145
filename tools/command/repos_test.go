package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// freeDoor is a door whose policy knows secrets and lets commands make what they like.
func freeDoor(t *testing.T, g *policy.Grants) *door {
	t.Helper()
	d := newDoor(t)
	keep := keepingPolicy{d.Policy}
	d.With(func(cfg *tools.Config) { cfg.Policy = func() tools.Policy { return keep } })
	d.Policy.Judge = func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: policy.Allow, Rule: "test.allow", Grants: g}
	}
	for _, f := range []string{"p/.git/HEAD", "p/.git/config", "p/.git/hooks/sample", "p/.git/objects/x", "sub/.git", "bare/HEAD", "bare/objects/x", "bare/refs/x", "log/HEAD"} {
		d.File(t, f, "x\n")
	}
	if err := os.Symlink("p/.git", filepath.Join(d.Dir, ".git")); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOnlyGitChangesRepositories: git runs what a repository names.
func TestOnlyGitChangesRepositories(t *testing.T) {
	all := []string{"/bare", "/p/.git", "/sub/.git"}
	for _, c := range []struct {
		grants *policy.Grants
		want   []string
	}{{nil, all}, {&policy.Grants{Free: true}, all}, {&policy.Grants{Free: true, Repos: true}, nil}} {
		d := freeDoor(t, c.grants)
		d.Do(t, "exec", `{"argv":["true"]}`)
		var got []string
		for _, p := range d.Launcher.Ran[0].Locked {
			got = append(got, strings.TrimPrefix(p, d.Dir))
		}
		toolstest.Diff(t, "locked", got, c.want)
	}
	d := freeDoor(t, nil)
	d.Launcher.Writes = []string{"touch: p/.git/x: Read-only file system\n"}
	got := d.Do(t, "exec", `{"argv":["true"]}`)
	if !strings.HasSuffix(got.Text, "\n[commands can't change bare: only git itself does, when a person says yes]") {
		t.Error(got.Text)
	}
}

// TestRepositoriesThatACommandMadeAreTold: nothing keeps a build from making one, and the
// next person who looks with git runs what it names.
func TestRepositoriesThatACommandMadeAreTold(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, d *door)
		want string // empty: nothing is told
	}{
		{"nothing", func(*testing.T, *door) {}, ""},
		{"another file", func(t *testing.T, d *door) { d.File(t, "new/config", "x") }, ""},
		{"an object and the index", func(t *testing.T, d *door) { d.File(t, "p/.git/objects/y", "x"); d.File(t, "p/.git/index", "x") }, ""},
		{"a repository", func(t *testing.T, d *door) { d.File(t, "new/.git/HEAD", "x") }, "new/.git"},
		{"one without its name", func(t *testing.T, d *door) {
			for _, f := range []string{"HEAD", "objects/x", "refs/x"} {
				d.File(t, "new/"+f, "x")
			}
		}, "new"},
		{"a file that leads to one", func(t *testing.T, d *door) { d.File(t, "new/.git", "gitdir: ../x") }, "new/.git"},
		{"a link that leads to one", func(t *testing.T, d *door) {
			if err := os.Symlink("../p", filepath.Join(d.Dir, "log/.git")); err != nil {
				t.Fatal(err)
			}
		}, "log/.git"},
		{"settings", func(t *testing.T, d *door) { d.File(t, "p/.git/config", "y") }, ".git, p/.git"},
		{"a hook", func(t *testing.T, d *door) { d.File(t, "p/.git/hooks/pre-commit", "y") }, ".git, p/.git"},
		{"another repository in the place", func(t *testing.T, d *door) {
			if err := os.Rename(d.Dir+"/p", d.Dir+"/q"); err != nil {
				t.Fatal(err)
			}
			d.File(t, "p/.git/HEAD", "x")
		}, ".git, p/.git, q/.git"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, free := range []bool{true, false} {
				d := freeDoor(t, &policy.Grants{Free: free})
				d.Launcher.During = func() { c.make(t, d) }
				got := d.Do(t, "exec", `{"argv":["true"]}`)
				want := ""
				if free && c.want != "" {
					want = "[it made or changed the git repository " + c.want + " by itself, and git runs what a repository names: tell the person before anybody uses git there]"
				}
				if !strings.Contains(got.Text, want) || want == "" && strings.Contains(got.Text, "by itself") {
					t.Errorf("free %v: %q is missing in %s", free, want, got.Text)
				}
			}
		})
	}
}
