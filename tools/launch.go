package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
