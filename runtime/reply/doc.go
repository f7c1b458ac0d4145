// Package reply decides what of a model's reply reaches the person, and what in it
// needs another look by the loop.
//
// It owns the filters of a reply that streams in:
//
//	filter.go     the filters of one reply, in their order
//	thinking.go   what of the thinking is shown
//	hold.go       text that may turn out to be a call, or silence, is held back
//	silence.go    NO_REPLY and HEARTBEAT_OK: nothing is delivered
//	directive.go  marks in an answer that are for the runtime
//
// and the checks of a whole one:
//
//	claim.go      the model says that it did something and no tool ran
//	repeat.go     the same call with the same result, again and again
//
// It refuses to know the agent, the model server and the tools: everything here is a
// function of the text that it is given. It does no input or output and reads no clock.
//
// Invariants: what is shown does not depend on where the stream was cut into pieces;
// a call that was written as text is never shown; a person's own turn shows every
// reply that is no call.
package reply
