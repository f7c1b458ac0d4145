// Package jetson reads a Jetson Orin Nano through the files of its kernel: thermal
// zones, the rail monitor, the fan, the over-current counters, memory and the
// power mode.
//
// It owns the names of those files and the meaning of what stands in them. Numbers
// of zones and hwmon nodes vary, so everything is found by what the kernel calls
// it. It refuses to write: fan, clocks and mode belong to others.
//
//	board.go  the board, one look at all its sensors
//	gate.go   reads that may never return
//	tree.go   plain reads of kernel files
//	find.go   nodes by their names
//	buses.go  the buses that /dev has
//	parse.go  the meaning of each file
//
// Invariants:
//   - A look takes at most a second, even when a read blocks for ever.
//   - Reads that never return don't add up: at most one is out for each file.
//   - A file that is missing, refuses or says nonsense gives a reason, not a zero.
package jetson
