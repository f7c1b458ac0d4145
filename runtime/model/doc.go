// Package model is the road to the model server: an Ollama client that a turn
// can rely on, and what has to be known to use it well.
//
// It owns the bytes of a request (wire.go), the reading of a stream (recorder.go,
// stream.go, think.go), the meaning of a failure (failure.go), what the server
// says of its models (catalog.go, pull.go), which one is taken and with what window
// (choose.go, choice.go), the recovery of calls that
// a model wrote as text (codec.go and the form files), the answers of a model that
// takes no tools (enveloped.go, opener.go), the belief about what the server's cache
// holds (ledger.go) and the queue before it (lane.go). Package modeltest beside it is
// a server that answers from a script.
//
// It refuses to run a tool, to repair an argument, to repeat a request that was begun
// (one that a busy server refused is sent again, patient.go), to download a model
// unasked, to log, and to speak to anything but one Ollama server: no cloud host, no
// redirect is followed.
//
// Invariants:
//
//   - Equal requests are equal bytes. No map is iterated and no clock is read
//     while a request is made.
//   - Every request carries num_ctx, a num_predict above zero, truncate=false,
//     shift=false and keep_alive.
//   - A stream ends by itself, by a limit or by its context; what was received
//     until then is in the Reply in every case, with Cut set when it is not whole.
//   - Thinking is never in a text, neither streamed nor kept, and never sent back.
//   - A failure is an *Error with a code, a sentence and a hint, except for a dead
//     context, whose cause is returned as it is.
package model
