// Package runtime is a living agent: it takes what a person says, has the prompt
// assembled, drives the model, passes each call of the model through the one
// door of package tools, and keeps the record.
//
// It owns the order of things in a turn and nothing else. Its files are its
// nouns:
//
//	agent.go      what an agent is made of, and its lane of turns
//	ask.go        what may be asked, and what is refused before anything starts
//	owner.go      which session belongs to which agent
//	tuning.go     what may change while an agent lives, between turns
//	hooked.go     what the operator's hooks put into prompt and turn context
//	turn.go       the loop: stream, calls, results, until an answer or a limit
//	reply.go      reading one reply: native calls, text forms, empty answers
//	hold.go       keeping back text that may turn out to be a call, or silence
//	silence.go    NO_REPLY and HEARTBEAT_OK: when nothing is delivered
//	directive.go  marks in an answer that are not for the person
//	speech.go     one reply on its way to the person
//	discreet.go   no secret value goes to a model, comes from one, or is stored
//	claim.go      the model says that it did something and no tool ran
//	plan.go       the plan that a model keeps
//	level.go      model, thinking and what is shown of it, by conversation
//	relevel.go    what another level of thinking costs
//	board.go      power mode, heat and power alerts: what the model is told of them
//	confined.go   another sandbox than the prompt tells of
//	thought.go    showing what a model thinks
//	repeat.go     the same call with the same result, again and again
//	limit.go      the limits of a turn and how each introduces itself
//	sub.go        a sub-agent's session: its own prompt and fewer tools
//	prefix.go     what a session freezes at its start, and what changed since
//	open.go       sessions in memory, as many as are used
//	keep.go       what is stored of a turn, also when the disk is full
//	fit.go        keeping a request within the window
//	usage.go      what a turn cost, and whether the server kept its cache
//	warm.go       reading the prefix ahead of need
//	envelope.go   when a message tells its time
//	news.go       commands in the background: what the model is told of them
//	wake.go       turns that no person begins, and who watches them
//	slots.go      a slot of the server each for the main prompt and a sub-agent's
//	later.go      what a session's next turn has to tell
//	trial.go      telling two slots from one by times alone
//	idle.go       what is done while nobody talks
//	approval.go   questions to a person, and their answers
//	status.go     what the agent tells of itself
//	view.go       prompt and context, for a person to look at
//	rendered.go   the same as the model server's template renders it
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
