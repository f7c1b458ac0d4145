// Package tools is the one door to the world. Every effect of the agent, whoever
// started it, passes Registry.Call: the tool is found, its arguments are repaired
// and checked against its schema, it plans, policy decides, a person is asked
// where policy says so, the decision is put on record, and only then the tool
// acts.
//
// It owns the registry and what a tool is. The tools stand below it, by noun: files,
// command, board, self; it imports none of them, the wiring puts them in. Below it stand
// too: args (schemas and repair of arguments), lookup (what policy needs looked up), text
// (shaping of output), secret (taking secrets out); toolstest holds fakes for tests.
//
//	tool.go         what a tool, a call and a result are; launcher.go who runs a command
//	registry.go     which tools there are; nearest.go a wrong name
//	call.go         the steps of a call; explain.go what they would be
//	world.go        what policy needs looked up
//	allow.go        from a decision to a yes or a no, on record
//	bound.go        what a person's answer binds
//	redact.go       what is shown of a decision, without secrets
//	uses.go         the uses of rules with a rate
//	starts.go       programs that a command starts by itself; startrecord.go on record
//	line.go         a command as one line
//
// It refuses to judge: what is allowed is package policy's word alone. It holds no
// prompt text besides names, descriptions and guides, and knows nothing of models,
// turns or terminals.
//
// Invariants:
//   - Nothing acts before the record of its decision is kept.
//   - Each call has exactly one Result; an error means that the context is dead or
//     the audit can't be kept.
//   - Prepare has no effect. Do runs at most once.
//   - What policy judged is what is acted on: files through the descriptor that the
//     path facts were taken from, programs by their resolved path.
//   - No secret value leaves in a result, an update or a record.
package tools
