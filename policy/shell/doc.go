// Package shell reads shell text and tells a Judge everything that it does: each simple
// command with every value that its words can take, each file that it opens, each
// variable that reaches programs. It judges nothing itself but the text: what the
// grammar of POSIX lacks is refused, as is everything whose effect can't be foreseen
// beforehand.
//
//	shell.go      a script: parsing, statements, loops
//	call.go       a simple command: assignments, redirections, cd, read
//	word.go       the words that a program gets, after expansion
//	state.go      what is known of variables and of the folder
//	own.go        words that the shell runs by itself
//	variable.go   variables that steer a shell, the loader or the look-up of programs
//	text.go       quoting; advice.go how other shells' forms are said
//
// Invariants: a value that is not known is unknown, never guessed; a loop is walked
// until what its variables can hold no longer changes; too many values, folders or steps
// are refused, never cut.
package shell
