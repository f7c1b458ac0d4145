package rig

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// cantRun is the one reason to skip; test/skips.txt has it word for word.
const cantRun = "the ARM64 rig can't be had on this machine"

// suite is a test binary with the tests that run in the machines.
type suite struct {
	pkg string
	run string // -test.run, everything when empty
	not string // -test.skip
	max int    // seconds
}

var suites = []suite{
	{pkg: "sandbox", max: 400},
	{pkg: "tools", max: 300},
	{pkg: "policy", max: 300},
	{pkg: "runtime/store", max: 300},
}

func TestKernels(t *testing.T) {
	k, err := setup(t.Context(), os.Stderr)
	var n *none
	if errors.As(err, &n) {
		t.Log(n)
		t.Skip(cantRun)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var packages []string
	for _, s := range suites {
		packages = append(packages, s.pkg)
	}
	began := time.Now()
	if err := lay(t.Context(), filepath.Join(dir, "work"), packages); err != nil {
		t.Fatal(err)
	}
	t.Logf("built in %s", time.Since(began))
	image := filepath.Join(dir, "work.ext4")
	if err := format(t.Context(), filepath.Join(dir, "work"), image); err != nil {
		t.Fatal(err)
	}
	t.Logf("formatted in %s", time.Since(began))
	for _, c := range []struct{ name, args string; roles map[string]Role }{
		{"landlock", "", map[string]Role{"root": {}, "user": {User: 1000}}},
		{"none", "lsm=lockdown,yama", map[string]Role{"root": {}, "user": {User: 1000}, "board": {1000, true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := machine{kit: k, work: image, guest: filepath.Join(dir, "work", "guest"), args: c.args}
			for _, role := range strings.Fields(os.Getenv("ROLES")) {
				r, ok := c.roles[role]
				if !ok { continue }
				for _, s := range suites {
					if !strings.Contains(os.Getenv("PKGS"), s.pkg) { continue }
					m.plan.Steps = append(m.plan.Steps, Step{Name: role + "/" + s.pkg, As: r, Dir: Source + "/" + s.pkg,
						Argv: []string{binaryOf(s.pkg), "-test.v=test2json", "-test.short", "-test.run=" + s.run, "-test.skip=" + s.not}, Limit: s.max})
				}
			}
			c, err := m.boot(t.Context(), t.TempDir())
			t.Log(c.kernel, c.lsm, c.loose)
			for _, s := range c.steps {
				list, err := results(t.Context(), s.text)
				if err != nil { t.Fatal(err) }
				var p, f, sk int
				for _, r := range list {
					switch r.action {
					case "pass": p++
					case "fail": f++; t.Log("FAIL", s.name, r.name, r.text)
					case "skip": sk++; t.Log("SKIP", s.name, r.name, r.reason())
					case "": if s.status != 0 { t.Log(r.text) }
					}
					if m := timeRe.FindStringSubmatch(r.text); m != nil && len(m[1]) > 4 { t.Log("SLOW", s.name, r.name, m[1]) }
				}
				t.Log(s.name, s.status, s.took, p, f, sk)
			}
			if err != nil { t.Error(err) }
		})
	}
}

var _ = exec.ErrNotFound
