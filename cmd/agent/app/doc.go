// Package app puts the parts of hardshell together into running agents: it reads
// what a config names, opens the store, gives each agent its sandbox, its tools and
// its policy, and serves them all on one socket.
//
//	app.go      what all agents share, and the order of a start
//	spec.go     what belongs to one agent alone, checked before it starts
//	instance.go one running agent
//	service.go  all of them, as the gateway serves them
//	records.go  what they keep: answers, grants, conversations, the audit
//	processes.go their commands in the background, and whom an end wakes
//	values.go   small records, kept or only in memory, and the ledger of rules with a rate
//	reload.go   what may change while they run
//	serve.go    the socket, the work between turns, the end
//	memory.go   unused memory goes back to the board
//	upkeep.go   snapshots and clearing away, between turns
//	owner.go    a state folder that is another user's to hold
//	socket.go   the agents of this process, or the socket of those of another
//
// And what they are put together from:
//
//	policy.go   the policy file, or the built-in policy
//	roots.go    the folders that tools and policy speak of
//	manual.go   the manual and the bundled skills, laid out on disk
//	skills.go   the skills that an agent may use here
//	launcher.go the sandbox in the words of the exec tool
//	probe.go    what the sandbox can enforce here, kept until the next boot
//	machine.go  what the running system tells of itself, and its board
//	gauge.go    the board's health for turns, which don't wait for it
//	heat.go     whether the board has something to spare for a warm-up
//
// Invariants: everything that can be wrong is found before the store is touched; one
// process holds the store of a state folder; the end of the process waits for the
// turns of other terminals.
package app
