// Package story plays a first hour with the shipped program: version, a question
// that needs a command, a refusal, the record. It holds tests only; they run
// against the binary that HARDSHELL_AGENT names, which the ARM64 rig sets, or
// against one that is built for this machine.
package story
