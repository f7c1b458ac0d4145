// Package runtime is a living agent: it takes what a person says, has the prompt
// assembled, drives the model, passes each call of the model through the one
// door of package tools, and keeps the record.
//
// It owns the order of things in a turn and nothing else. Its files are its
// nouns.
//
// The agent:
//
//	agent.go      what an agent is made of, and how it is put together
//	queue.go      one turn at a time in a session, a person's first
//	sessions.go   sessions of this agent and no other's, in memory while used
//	tuning.go     what may change while an agent lives, between turns; the limits of one
//	status.go     what the agent tells of itself
//	view.go       prompt and context, for a person to look at
//	rendered.go   the same as the model server's template renders it
//
// A turn:
//
//	ask.go        what may be asked, and what is refused before anything starts
//	turn.go       from the message to the end: the loop
//	events.go     where its events go
//	request.go    one request, its reply as it streams
//	calls.go      the calls of a reply and their results
//	fit.go        keeping a request within the window, results shortened
//	compact.go    the oldest turns of a full conversation left out
//	keep.go       what is stored of a turn, also when the disk is full
//	cut.go        how the turn before ended, where its answer is not whole
//	usage.go      what a turn cost, and whether the server kept its cache
//	sub.go        a sub-agent's session: its own prompt and fewer tools
//	wake.go       turns that no person begins, and who watches them
//	take.go       what comes of a reply: native calls, text forms, empty answers
//	attach.go     the files that an answer names
//	redacting.go  no secret value goes to a model, comes from one, or is stored
//
// The model:
//
//	models.go     model, thinking and what is shown of it, by conversation
//	level.go      how a person sets them
//
// Each package below it has a noun of its own: reply (what of a reply reaches the
// person), prompt (what the model is told), warm (reading prompts ahead of need), approval (questions to a person),
// session and store (what is kept), model (the driver), gateway (the way in),
// config, skills, hooks, workspace, schedule, doctor; event and message are plain
// values.
//
// It refuses to know pins, sandboxes and prompt text; those belong to hw,
// sandbox and assembly. No effect starts here: only tools act, and tools asks
// policy first.
//
// Invariants: what is sent of a session's history never changes between two
// compactions; every call of the model gets exactly one result; what was accepted
// is stored before it is answered; a viewer that is slow or gone never holds up a
// turn.
package runtime
