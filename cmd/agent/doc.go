// Command agent is hardshell at a terminal: ask, chat, serve and the commands
// that look at what the agent is and did.
//
// It owns the command line, the voice in which the program speaks to a person
// (ui.go), and the wiring of the parts into a living agent (host.go, wire.go). It
// refuses to hold logic: each command parses, makes one call and prints. Every
// command that needs the agent is a client of it over the gateway, also when the
// agent lives in the same process.
//
//	main.go      the doorway
//	run.go       one command from arguments to exit code
//	command.go   the command table's types, flags before and after words
//	exit.go      errors as sentences, hints and exit codes
//	ui.go        the voice, and a turn as a person sees it
//	host.go      holding the store, or being the client of who holds it
//	wire.go      the parts put together
//
// Invariants: answers and tables go to stdout, everything else to stderr; text of
// a model, a file or a command never reaches a terminal uncleaned; nothing but
// main exits or reads os.Args.
package main
