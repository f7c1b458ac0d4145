// Package sim plays a Jetson Orin Nano, for people without one and for tests. It
// is shipped: agent --board=sim runs on it.
//
// It owns the simulated outside world: a JSON file that outlives every process, as
// hardware does. A person changes it from outside with Set and Fault (agent sim
// set, agent sim fault) while an agent runs on it. It refuses to be mistaken for
// hardware: its name says that it is simulated.
//
//	board.go  the board as the agent sees it
//	world.go  what the file holds
//	file.go   reading and replacing it
//	change.go set and fault
//
// Invariants:
//   - The file is replaced as a whole or not at all; looking writes nothing.
//   - A change by two processes at once loses neither.
//   - A file that can't be understood is an error, never a fresh world.
package sim
