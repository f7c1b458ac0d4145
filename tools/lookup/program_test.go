package lookup

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hardshell/policy"
)

func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("run.sh", 0o755)
	put("plain", 0o644)
	if err := os.Symlink("/usr/bin/env", filepath.Join(dir, "tool")); err != nil {
		t.Fatal(err)
	}
	env, err := filepath.EvalSymlinks("/usr/bin/env")
	if err != nil {
		t.Fatal(err)
	}
	hash, err := HashFile(filepath.Join(dir, "run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for _, uid := range []int{0, os.Getuid()} {
		for word, want := range map[string]*policy.Program{
			"env":                                 {Path: "/usr/bin/env", Real: env},
			"/usr/bin/env":                        {Path: "/usr/bin/env", Real: env},
			"./run.sh":                            {Path: dir + "/run.sh", Real: dir + "/run.sh", Writable: true, Hash: hash},
			"./tool":                              {Path: dir + "/tool", Real: env},
			"run.sh":                              nil, // not looked for where one stands
			"./plain":                             nil,
			"./gone":                              nil,
			".":                                   nil,
			"/usr/bin":                            nil,
			"":                                    nil,
			"env\x00":                             nil,
			"../../../../../../../../usr/bin/env": {Path: "/usr/bin/env", Real: env},
		} {
			got, ok := Program([]string{"/usr/bin"}, dir, word, uid)
			if want == nil {
				equal(t, word, ok, false)
			} else {
				equal(t, word, got, *want)
			}
		}
	}
}

func TestWritableSeesFoldersAsWell(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("owners can't be changed without being root: only the mode is looked at")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "p")
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		equal(t, "root's own file, for another user", Writable(path, 4321), false)
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		equal(t, "a folder that all can write", Writable(path, 4321), true)
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name       string
			uid, gid   int // of the folder
			mode       os.FileMode
			for4321    bool
			inTheWhole bool // for a file of a trusted tree and root's commands
		}{
			{"root's", 0, 0, 0o755, false, false},
			{"root's, for its group", 0, 0, 0o775, false, false},
			{"for another group", 0, 99, 0o775, true, true},
			{"of a group that can't write", 0, 99, 0o755, false, false},
			{"for a group, sticky", 0, 99, 0o775 | os.ModeSticky, false, false},
			{"for all, sticky", 0, 0, 0o777 | os.ModeSticky, false, false},
			{"the user's", 4321, 0, 0o755, true, true},
			{"another user's", 5432, 0, 0o755, false, true},
		} {
			if err := errors.Join(os.Chown(dir, c.uid, c.gid), os.Chmod(dir, c.mode)); err != nil {
				t.Fatal(err)
			}
			equal(t, c.name, Writable(path, 4321), c.for4321)
			was := trusted
			trusted = []string{filepath.Dir(dir)}
			equal(t, c.name+", for root", Writable(path, 0), c.inTheWhole)
			trusted = was
		}
		if err := errors.Join(os.Chown(dir, 0, 0), os.Chmod(dir, 0o755), os.Chown(path, 4321, 0)); err != nil {
			t.Fatal(err)
		}
		equal(t, "a file of the user's own", Writable(path, 4321), true)
	}
	equal(t, "the user's own file", Writable(path, os.Getuid()), true)
	equal(t, "gone", Writable(path+"x", 4321), true)
}
