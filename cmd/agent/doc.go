// Command agent is hardshell at a terminal: ask, chat, serve and the commands
// that look at what the agent is and did.
//
// It owns the command line; package term is the terminal, package app puts the agent
// together. It refuses to hold logic: each command parses, makes one call and prints.
// Every command that needs the agent is a client of it over the gateway, also when the
// agent runs in the same process.
//
// A command stands in the file of its name: config_show.go is "agent config show".
// What they share:
//
//	main.go         the doorway
//	run.go          one invocation from arguments to exit code, and the table of them
//	command.go      the table's types, flags before and after words
//	exit.go         errors as sentences, hints and exit codes
//	lost.go         output that did not get out
//	address.go      the agent or the conversation that a command means
//	link.go         the agent, dialled, or held here where nobody listens
//
// A conversation:
//
//	input.go        a question from words or stdin
//	conversation.go one turn, and the questions of the agent meanwhile
//	wakes.go        turns that nobody's message began
//	slash.go        commands of a chat, with slash_*.go
//
// Invariants: answers and tables go to stdout, everything else to stderr; text of
// a model, a file or a command never reaches a terminal uncleaned; nothing but
// main exits or reads os.Args.
package main
