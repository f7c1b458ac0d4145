// Package command holds the tools that run programs, and those that run on.
//
//	exec.go        what a command may be; execrun.go its run
//	launch.go      one launched, and repositories that it made found
//	hidden.go      what a command could not see, change or start, as a note of the result
//	filter.go      a program that answers on stdout: hooks
//	keeper.go      commands in the background; background.go one; record.go kept
//	output.go      what they write
//	process.go     the tool that minds them, with processact.go, processlog.go, keys.go
//	person.go      a person who minds them
//
// It owns what outlives a call: records and kept outputs of commands. It refuses to judge
// and to confine: the door decides, the Launcher that it is given runs.
//
// Invariants:
//   - What runs is the program that policy judged, by its resolved path.
//   - A command whose record can't be kept does not stay.
//   - The end of a command in the background is delivered once, over restarts, too.
package command
