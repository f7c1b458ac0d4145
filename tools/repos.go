package tools

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
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
	if dir, err := openDir(repo + "/hooks"); err == nil {
		names, _ := dir.Readdirnames(-1) // what can't be listed can't be run either
		dir.Close()
		slices.Sort(names)
		for _, name := range names {
			add(repo+"/hooks/"+name, true)
		}
	}
	return b.String()
}

// locked are the repositories that a command must not change. Links have nothing to
// lock, and a workspace that is one itself has only parts of it.
func (s survey) locked() []string {
	var out []string
	for repo := range s.repos {
		parts := []string{repo}
		if repo == s.top {
			parts = []string{repo + "/config", repo + "/hooks"}
		}
		for _, p := range parts {
			if info, err := os.Lstat(p); err == nil && info.Mode()&fs.ModeSymlink == 0 {
				out = append(out, p)
			}
		}
	}
	slices.Sort(out)
	return out
}

// launch runs a command to its end, and looks for repositories that it made or changed
// by itself where it can make files of any name.
func launch(ctx context.Context, l Launcher, c Command) (Exit, error) {
	exit, err := l.Run(ctx, c)
	if err != nil || c.Repositories == nil {
		return exit, err
	}
	before := c.Repositories.found
	after, err := c.Repositories.again()
	if err != nil {
		exit.Struck = append(exit.Struck, fmt.Sprintf("whether it made a git repository can't be told: %v", err))
	}
	made := slices.DeleteFunc(slices.Sorted(maps.Keys(after)), func(repo string) bool { return before[repo] == after[repo] })
	for i := range made {
		made[i] = strings.TrimPrefix(made[i], c.Repositories.top+"/")
	}
	if len(made) > 0 {
		exit.Struck = append(exit.Struck, fmt.Sprintf(
			"it made or changed the git repository %s by itself, and git runs what a repository names: tell the person before anybody uses git there", strings.Join(made, ", ")))
	}
	return exit, nil
}

// Repositories are those that a command found, and how to look for them again.
type Repositories struct {
	top   string
	found map[string]string
	again func() (map[string]string, error)
}
