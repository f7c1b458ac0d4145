package main

import (
	"context"
	"strings"

	"hardshell/runtime/gateway"
)

// jobs does what /jobs says of the agent's commands in the background.
func (s *chat) jobs(ctx context.Context, arg string) error {
	words := strings.Fields(arg)
	q := gateway.ProcessQuery{Agent: s.owner(), Lines: jobLines, By: "/jobs kill"}
	if len(words) == 2 {
		q.ID = words[1]
	}
	switch {
	case len(words) == 0:
		return listJobs(ctx, s.invocation, s.link, q.Agent)
	case len(words) == 2 && words[0] == "log":
		q.By = ""
		return showJobLog(ctx, s.invocation, s.link, q)
	case len(words) == 2 && words[0] == "kill":
		q.Lines = 0
		return killJob(ctx, s.invocation, s.link, q)
	}
	return usageError("/jobs alone lists the commands in the background; /jobs log ID and /jobs kill ID mind one", "/jobs takes no %q", arg)
}
