package main

import (
	"context"
	"strings"

	"hardshell/runtime/gateway"
)

// processes does what /processes says of the agent's commands in the background.
func (s *chat) processes(ctx context.Context, arg string) error {
	words := strings.Fields(arg)
	q := gateway.ProcessQuery{Agent: s.owner(), Lines: logLines, By: "/processes kill"}
	if len(words) == 2 {
		q.ID = words[1]
	}
	switch {
	case len(words) == 0:
		return listProcesses(ctx, s.invocation, s.link, q.Agent)
	case len(words) == 2 && words[0] == "log":
		q.By = ""
		return showProcessLog(ctx, s.invocation, s.link, q)
	case len(words) == 2 && words[0] == "kill":
		q.Lines = 0
		return killProcess(ctx, s.invocation, s.link, q)
	}
	return usageError("/processes alone lists the commands in the background; /processes log ID and /processes kill ID mind one", "/processes takes no %q", arg)
}
