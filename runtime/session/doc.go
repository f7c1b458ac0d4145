// Package session is one conversation as it is kept and as it is sent: the frozen
// prefix, the messages, the turns, the facts that were told. It is a fold over
// the entries of a store: opening a session again gives the same state.
//
// It owns what entries mean and how a broken transcript is read. It refuses to
// talk to a model, to cut or summarise text, and to rewrite what is stored.
//
//	session.go  Session: open, read, append, freeze, reset, compact
//	kept.go     settings and the plan, kept beside the conversation
//	shorten.go  results made shorter within a turn
//	turn.go     turn records and ids
//	codec.go    entries to values and back, byte for byte
//	replay.go   the fold
//	arrange.go  calls and results in the order that a server accepts
//	id.go       what sessions are called, and which agent owns one
//
// Invariants: what Messages gave once is the beginning of what it gives later,
// until Reset or Compact; nothing is in memory that is not stored; each call has
// exactly one result behind it once a session was opened again; repairs happen
// in memory, are told in Repairs, and only a missing result is ever stored.
//
// Reset and Compact are the two session boundaries: they end the frozen prefix
// and forget what was told. Entries before a boundary stay readable.
package session
