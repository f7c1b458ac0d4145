package main

import (
	"context"

	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/tools"
)

// minder looks after the commands in the background, for a person.
type minder interface {
	Jobs(ctx context.Context, agent string) ([]tools.JobRecord, error)
	JobLog(ctx context.Context, q gateway.JobQuery) (tools.JobText, error)
	EndJob(ctx context.Context, q gateway.JobQuery) (tools.JobRecord, error)
}

// Jobs lists an agent's commands in the background.
func (a *living) Jobs(agent string) ([]tools.JobRecord, error) {
	r, err := a.agent(agent)
	if err != nil {
		return nil, err
	}
	return r.jobs.Known(), nil
}

// JobLog gives lines of a command's output.
func (a *living) JobLog(q gateway.JobQuery) (tools.JobText, error) {
	r, err := a.agent(q.Agent)
	if err != nil {
		return tools.JobText{}, err
	}
	t, err := r.jobs.Show(q.ID, q.From, q.Lines)
	return t, jobProblem(err)
}

// EndJob ends a command on a person's word.
func (a *living) EndJob(ctx context.Context, q gateway.JobQuery) (tools.JobRecord, error) {
	r, err := a.agent(q.Agent)
	if err != nil {
		return tools.JobRecord{}, err
	}
	rec, err := r.jobs.End(ctx, q.ID, q.By)
	return rec, jobProblem(err)
}

// jobProblem gives an error about a command its hint.
func jobProblem(err error) error {
	if err == nil {
		return nil
	}
	return &event.Problem{Code: "job", Message: err.Error(), Hint: "agent jobs list shows the commands in the background; --agent names another agent's"}
}

// Jobs lists an agent's commands in the background.
func (l *link) Jobs(ctx context.Context, agent string) (list []tools.JobRecord, err error) {
	err = again(ctx, l, func() error {
		list, err = l.client.Jobs(ctx, agent)
		return err
	})
	return list, err
}

// JobLog gives lines of a command's output.
func (l *link) JobLog(ctx context.Context, q gateway.JobQuery) (t tools.JobText, err error) {
	err = again(ctx, l, func() error {
		t, err = l.client.JobLog(ctx, q)
		return err
	})
	return t, err
}

// EndJob ends a command. With the process that held the agent its commands have ended.
func (l *link) EndJob(ctx context.Context, q gateway.JobQuery) (tools.JobRecord, error) {
	return l.client.EndJob(ctx, q)
}
