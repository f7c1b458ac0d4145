// Package prompt makes what a session's model is told: the prefix that a session
// freezes at its start, and the context at the tail of each message.
//
// It owns what goes into a prompt and when a fact is told:
//
//	maker.go      what prompts of an agent are made of
//	choice.go     the model of a conversation: window, reserve, level of thinking
//	form.go       the whole prompt or a sub-agent's, and its tools
//	prefix.go     the frozen prefix, and when another one takes its place
//	files.go      workspace files: hashes, and what changed since
//	fill.go       requests that have the server read a prompt
//	message.go    the text of a turn's message
//	facts.go      what changed of model and thinking
//	board.go      power mode, heat and power alerts
//	confined.go   another sandbox than the prompt tells of
//	news.go       commands in the background
//	plan.go       the plan that a model keeps
//	envelope.go   when a message tells its time
//	hooked.go     what the operator's hooks put into prompt and turn context
//	later.go      what a session's next turn has to tell
//
// It refuses to know turns: it sends nothing, calls no tool and shows nothing. Package
// assembly turns its values into text.
//
// Invariants: the same files, settings and model give the same prefix, byte for byte;
// a fact is told once, when it is new, and counts as told only when the message that
// tells it is stored; no secret value is in what it gives.
package prompt
