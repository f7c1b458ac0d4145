package main

import (
	"context"
	"errors"
	"fmt"

	"hardshell/policy/source"
	"hardshell/runtime"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/runtime/workspace"
)

// Exit codes. They are part of what scripts rely on.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2  // usage, config or policy file wrong
	exitRefused     = 3  // refused by policy and nothing else to answer
	exitModel       = 4  // model server or model not there
	exitLimit       = 5  // a limit was reached
	exitAsk         = 6  // policy check: a person would be asked
	exitConfig      = 78 // exitUsage of serve: the Go runtime's own crashes end with 2
	exitInterrupted = 130
)

// failure is an error with an exit code of its own.
type failure struct {
	event.Problem
	exit int
	told bool // it was printed already, only the code is left
}

func (f *failure) Error() string { return f.Message }

// ending is the exit code of a command that failed with code: a service's supervisor must
// tell a mistake that stays from a crash.
func ending(command string, code int) int {
	if command == "serve" && code == exitUsage {
		return exitConfig
	}
	return code
}

// usageError is a command line that can't be understood.
func usageError(hint, format string, args ...any) error {
	return &failure{Problem: event.Problem{Code: "usage", Message: fmt.Sprintf(format, args...), Hint: hint}, exit: exitUsage}
}

// usageCodes are the codes of what a person got wrong before anything was done.
var usageCodes = map[string]bool{
	"usage": true, "empty_question": true, "question_too_long": true, "not_utf8": true, "not_text": true,
	"bad_session": true, "bad_answer": true, "workspace": true, "config": true, "policy": true,
	"no_agent": true, "no_board": true,
}

// judge turns any error into what a person is told and the exit code.
func judge(err error) (event.Problem, int) {
	var (
		f  *failure
		c  *config.Error
		w  *workspace.Error
		pf *source.Error
		m  *model.Error
		p  *event.Problem
		h  interface{ Hint() string }
	)
	switch {
	case errors.As(err, &f):
		return f.Problem, f.exit
	case errors.Is(err, context.Canceled):
		return event.Problem{Code: "interrupted", Message: "interrupted"}, exitInterrupted
	case errors.As(err, &c):
		return event.Problem{Code: "config", Message: c.Error(), Hint: c.Hint()}, exitUsage
	case errors.As(err, &pf):
		return event.Problem{Code: "policy", Message: pf.Error(), Hint: "correct the policy file, or name another one with --policy"}, exitUsage
	case errors.As(err, &w):
		return event.Problem{Code: "workspace", Message: w.Error(), Hint: w.Hint()}, exitUsage
	case errors.As(err, &m):
		return event.Problem{Code: m.Code, Message: m.Message, Hint: m.Hint}, exitModel
	case errors.As(err, &p):
		if usageCodes[p.Code] {
			return *p, exitUsage
		}
		return *p, exitFailed
	}
	out := event.Problem{Code: "failed", Message: err.Error()}
	if errors.As(err, &h) {
		out.Hint = h.Hint()
	}
	return out, exitFailed
}

// exitOf is the exit code of a finished turn.
func exitOf(end event.End) int {
	switch end.Status {
	case runtime.Done:
		return exitDone
	case runtime.RefusedTurn:
		return exitRefused
	case runtime.ModelTurn:
		return exitModel
	case runtime.LimitTurn:
		return exitLimit
	case runtime.Interrupted:
		return exitInterrupted
	}
	if end.Error != nil && usageCodes[end.Error.Code] {
		return exitUsage
	}
	return exitFailed
}
