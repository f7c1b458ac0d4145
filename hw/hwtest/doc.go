// Package hwtest holds boards to the conduct that the agent relies on: one suite
// for the real drivers and the simulated one. It serves tests and is never linked
// into the program.
package hwtest
