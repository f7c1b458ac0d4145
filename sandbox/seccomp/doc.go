// Package seccomp is the filter of system calls that every command runs under.
//
//	filter.go    the calls that are denied, missing or asked about, as a program for the
//	             kernel; filter_*.go what one architecture has beside the others
//
// It owns which calls a command of a lab may make, and refuses to know what a command is.
// The lists are complete up to the newest call that was looked at: what later kernels
// add is answered as if this one did not have it.
//
// Invariants: a call of another architecture's numbers ends the process; nothing that
// makes a namespace, a raw socket or a set-user-id file passes.
package seccomp
