// Package tools is the one door to the world. Every effect of the agent, whoever
// started it, passes Registry.Call: the tool is found, its arguments are repaired
// and checked against its schema, it plans, policy decides, a person is asked
// where policy says so, the decision is put on record, and only then the tool
// acts.
//
// It owns the registry, the tools themselves (one file each), the rooted file
// access that they share. Below it stand args (schemas and repair of arguments), lookup
// (what policy needs looked up), text (shaping of output) and secret (taking secrets out).
//
// The door:
//
//	tool.go         what a tool, a call and a result are
//	registry.go     which tools there are; nearest.go a wrong name
//	call.go         the steps of a call; explain.go what they would be
//	world.go        what policy needs looked up
//	allow.go        from a decision to a yes or a no, on record
//	bound.go        what a person's answer binds
//	uses.go         the uses of rules with a rate
//
// Files:
//
//	roots.go        the folders that paths begin in
//	locate.go       a place, held; walk.go the way there, never through a link
//	read.go, write.go, edit.go, applypatch.go
//	replace.go      one file, whole or not at all
//	commit.go       several files, all or none; journal.go the way back
//
// Commands:
//
//	exec.go         what a command may be; execrun.go its run
//	filter.go       a program that answers on stdout: hooks
//	starts.go       programs that a command starts by itself; startrecord.go on record
//	hidden.go       what a command could not see or change, told
//	launch.go       one launched, and repositories that it made found
//	jobs.go         commands in the background; job.go one; jobrecord.go kept
//	output.go       what they write
//	process.go      the tool that minds them, with processact.go, processlog.go, keys.go
//	jobperson.go    a person who minds them
//
// And sensors.go, status.go, plan.go, each a tool.
//
// It refuses to judge: what is allowed is package policy's word alone. It holds no
// prompt text besides names, descriptions and guides, and knows nothing of models,
// turns or terminals.
//
// Invariants:
//   - Nothing acts before the record of its decision is kept.
//   - Each call has exactly one Result; an error means that the context is dead or
//     the audit can't be kept.
//   - Plan has no effect. Do runs at most once.
//   - What policy judged is what is acted on: files through the descriptor that the
//     path facts were taken from, programs by their resolved path.
//   - No secret value leaves in a result, an update or a record.
package tools
