package command

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hardshell/tools"
)

// launch runs a command to its end, and looks for repositories that it made or changed
// by itself where it can make files of any name.
func launch(ctx context.Context, l tools.Launcher, c program) (tools.Exit, error) {
	exit, err := l.Run(ctx, c.Command)
	if err != nil || c.repos == nil {
		return exit, err
	}
	before := c.repos.found
	after, err := c.repos.again()
	if err != nil {
		exit.Struck = append(exit.Struck, fmt.Sprintf("whether it made a git repository can't be told: %v", err))
	}
	made := slices.DeleteFunc(slices.Sorted(maps.Keys(after)), func(repo string) bool { return before[repo] == after[repo] })
	for i := range made {
		made[i] = strings.TrimPrefix(made[i], c.repos.top+"/")
	}
	if len(made) > 0 {
		exit.Struck = append(exit.Struck, fmt.Sprintf(
			"it made or changed the git repository %s by itself, and git runs what a repository names: tell the person before anybody uses git there", strings.Join(made, ", ")))
	}
	return exit, nil
}

// repositories are those that a command found, and how to look for them again.
type repositories struct {
	top   string
	found map[string]string
	again func() (map[string]string, error)
}
