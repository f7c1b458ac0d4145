package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes files below a folder.
func tree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoGroupIsSaid gives findGroups machines on which commands can't have a group.
func TestNoGroupIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		mount, cgroup, controllers string
		files                      map[string]string
		want                       string
	}{
		"version 1 only": {
			mount: "24 20 0:1 / TOP rw shared:1 - cgroup cgroup rw,memory\n", cgroup: "4:memory:/\n",
			want: "no cgroup v2 tree is mounted",
		},
		"hybrid": {
			mount: "24 20 0:1 / TOP rw - cgroup2 cgroup2 rw\n", cgroup: "4:memory:/x\n0::/unit\n", controllers: "hugetlb\n",
			want: "the cgroup v2 tree of this machine has no memory and pids controllers here (it has hugetlb)",
		},
		"outside of what is mounted": {
			mount: "24 20 0:1 /docker/1 TOP rw - cgroup2 cgroup2 rw\n", cgroup: "0::/\n",
			want: "the agent's group lies outside of the cgroup v2 tree that it sees",
		},
		"no write permission": {
			mount: "24 20 0:1 / TOP rw - cgroup2 cgroup2 rw\n", cgroup: "0::/unit\n", controllers: "cpu memory pids\n",
			want: "the group TOP/unit is not delegated to the agent (Delegate=memory pids cpu in its unit): no such file or directory",
		},
		"shared with others": {
			mount: "24 20 0:1 / TOP rw - cgroup2 cgroup2 rw\n", cgroup: "0::/unit\n", controllers: "cpu memory pids\n",
			files: map[string]string{"unit/cgroup.procs": "7\n8\n", "unit/cgroup.subtree_control": ""},
			want:  "the group TOP/unit also holds process 8, which is not the agent's; run it as a unit with Delegate=memory pids cpu",
		},
	} {
		top := t.TempDir()
		tree(t, top, map[string]string{"proc/mountinfo": strings.ReplaceAll(c.mount, "TOP", top), "proc/cgroup": c.cgroup, "unit/cgroup.controllers": c.controllers})
		tree(t, top, c.files)
		at := place{proc: filepath.Join(top, "proc"), mine: func(pid int) bool { return pid == 7 }}
		got := ""
		if _, own, err := at.group(); err != nil {
			got = err.Error()
		} else if err := at.settle(own); err != nil && c.controllers != "hugetlb\n" {
			got = err.Error()
		} else {
			got = findGroups(at).why
		}
		diff(t, name, strings.ReplaceAll(got, top, "TOP"), c.want)
	}
}

// TestGroupsAreUsedWhereTheyAre asks the machine itself: the rig has version 2.
func TestGroupsAreUsedWhereTheyAre(t *testing.T) {
	at := place{proc: "/proc/self"}
	_, own, err := at.group()
	have := words(filepath.Join(own, "cgroup.controllers"))
	could := err == nil && slices.Contains(have, "memory") && slices.Contains(have, "pids") && writes(own)
	diff(t, "groups", []any{ourGroups().dir != "", ourGroups().why == ""}, []any{could, could})
	t.Logf("%s: %+v", own, ourGroups())
	l := newLab(t)
	r, err := l.Probe(t.Context())
	diff(t, "report", []any{r.NoGroup, err}, []any{ourGroups().why, nil})
	out, x := l.sh(t, "cat /proc/self/cgroup | grep ^0::; cat /proc/self/oom_score_adj")
	if out != "0::/\n1000\n" && could || !slices.Contains(x.Layers, groupLayer()) {
		t.Errorf("%q, layers %v", out, x.Layers)
	}
}

// writes reports whether this process may divide a group.
func writes(own string) bool {
	f, err := os.OpenFile(filepath.Join(own, "cgroup.subtree_control"), os.O_WRONLY, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
}

// grouped is a lab whose commands have groups with small limits; nil where this
// machine has none.
func grouped(t *testing.T, limits Limits) *lab {
	if ourGroups().dir == "" {
		return nil // rlimits only, which TestGroupsAreUsedWhereTheyAre says
	}
	return newLab(t, func(c *Config) { c.Limits = limits })
}

func TestForkBombEndsByItsLimit(t *testing.T) {
	l := grouped(t, Limits{Processes: 48})
	if l == nil {
		return
	}
	want := []string{"it could not start more processes: exec.processes lets it have 48"}
	_, x := l.sh(t, `i=0; while [ $i -lt 200 ]; do sleep 931 & i=$((i+1)); done; echo all`)
	diff(t, "a loop", []any{x.Struck, x.Code != 0}, []any{want, true})
	_, x = l.sh(t, `b() { b | b & b; }; echo up; b; sleep 932`)
	diff(t, "a bomb", x.Struck, want)
	diff(t, "left alive", alive(t, "sleep\x00931", "sleep\x00932"), []string(nil))
	left, err := filepath.Glob(ourGroups().dir + "/command-*")
	diff(t, "groups left", []any{left, err}, []any{[]string(nil), nil})
}

func TestMemoryOfTheWholeTreeIsBound(t *testing.T) {
	l := grouped(t, Limits{Memory: 48 << 20, Tmp: 256 << 20})
	if l == nil {
		return
	}
	out, x := l.sh(t, `echo up; sleep 933 & head -c 200000000 /dev/zero > /tmp/f; echo done`)
	diff(t, "end", []any{out, x.Signal, x.Struck}, []any{"up\n", "SIGKILL", []string{"it was ended because it needed more memory than exec.memory lets it have, 48 MiB"}})
	diff(t, "left alive", alive(t, "sleep\x00933"), []string(nil))
}
