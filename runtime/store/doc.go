// Package store keeps everything that must outlive the process: session entries,
// small values (grants, facts, jobs) and the audit. It is one bbolt file,
// hardshell.db, beside a folder of append-only audit segments, all in the state
// folder, held by one process at a time.
//
// It owns the file, the lock on the folder, record formats, snapshots, repair and
// the audit chain. It knows nothing of what an entry means; package session does.
//
//	store.go      Store, Options, Open, Close
//	files.go      files set aside and copied
//	notice.go     what a person should know of it
//	lock.go       one process holds the folder, and says who it is
//	open.go       damaged files set aside, snapshots restored, new files made
//	pages.go      the check of a bbolt file that trusts nothing in it
//	tx.go         transactions that survive a fault
//	record.go     the envelope of every value: version and checksum
//	entry.go      session entries and their codec
//	sessions.go   append and read sessions
//	kv.go         small values
//	aside.go      records that can't be read
//	snapshot.go   copies of the file
//	retain.go     bounded clean-up
//	audit.go      the chain: record, head, rotation
//	adopt.go      what a crash left behind the head
//	auditread.go  tail and show
//	auditexport.go the audit as it is kept
//	verify.go     the proof
//	errors.go     what a caller can branch on
//
// Invariants: what was acknowledged is committed and synced; a failed write
// leaves nothing of itself; no read transaction is open while anybody but the
// disk is waited for; a record that can't be read never costs another record; a
// store that a newer program wrote is never touched; bytes that don't fit are
// moved aside, never deleted; whatever was repaired is in Notices.
package store
