package lookup

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Git runs what a repository names: hooks, and programs of its settings. So no command
// writes to one, except git's own when a person said yes; and a command that makes one
// by itself is told of, before a person uses git there.

// repository is the repository that a path belongs to by its name, empty when it is of
// none: a .git, or the folder of a HEAD beside objects and refs, which git takes for a
// repository as well.
func repository(path string, d fs.DirEntry) string {
	dir := filepath.Dir(path)
	switch {
	case strings.Contains(dir+"/", "/.git/"):
	case d.Name() == ".git":
		return path
	case d.Name() == "HEAD" && exists(dir+"/objects") && exists(dir+"/refs"):
		return dir
	}
	return ""
}

// repositoryMark changes with everything of a repository that makes git run programs.
func repositoryMark(repo string) string {
	var b strings.Builder
	add := func(path string, whole bool) {
		info, err := os.Lstat(path)
		if err != nil {
			return
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			fmt.Fprintf(&b, "%s %d", path, st.Ino)
			if whole || !info.IsDir() {
				fmt.Fprintf(&b, " %d.%09d", st.Ctim.Sec, st.Ctim.Nsec)
			}
			b.WriteByte('\n')
		}
	}
	add(repo, false) // git itself makes and removes files in it all the time
	for _, name := range []string{"config", "config.worktree", "commondir", "gitdir", "hooks"} {
		add(repo+"/"+name, true)
	}
	if dir, err := OpenDir(repo + "/hooks"); err == nil {
		names, _ := dir.Readdirnames(-1) // what can't be listed can't be run either
		dir.Close()
		slices.Sort(names)
		for _, name := range names {
			add(repo+"/hooks/"+name, true)
		}
	}
	return b.String()
}
