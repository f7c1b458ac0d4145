package main

import (
	"flag"
	"strings"

	"hardshell/runtime"
	"hardshell/runtime/session"
)

// address is the conversation that a command is about: --agent and --session.
type address struct{ agent, session string }

// register adds both flags; doc says what --session is for.
func (t *address) register(fs *flag.FlagSet, doc string) {
	t.registerAgent(fs)
	fs.StringVar(&t.session, "session", "", doc)
}

// registerAgent adds --agent alone.
func (t *address) registerAgent(fs *flag.FlagSet) {
	fs.StringVar(&t.agent, "agent", "", "`id` of an [[agent]] of the config, main unless given")
}

// id is the conversation's id: the main one of the agent where no name is given.
// A name may be a whole id, as agent sessions list prints it.
func (t address) id() (string, error) {
	if agent, name, whole := strings.Cut(t.session, "/"); whole && t.agent != "" {
		if agent != t.agent {
			return "", usageError("leave --agent out, or name the conversation without its agent", "--session %s belongs to agent %q, not to %q", t.session, agent, t.agent)
		}
		return session.Of(agent, name), nil
	} else if whole {
		return t.session, nil
	}
	return session.Of(t.agent, t.session), nil
}

// view asks for the prompt that a conversation has frozen, where one is named, else
// for what a new one of the agent would get.
func (t address) view() (runtime.ViewQuery, error) {
	q := runtime.ViewQuery{Agent: t.agent}
	if t.session == "" {
		return q, nil
	}
	var err error
	q.Session, err = t.id()
	return q, err
}
