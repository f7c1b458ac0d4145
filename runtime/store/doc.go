// Package store keeps everything that must outlive the process: session entries,
// small values (grants, facts, jobs) and the audit. It is one bbolt file,
// hardshell.db, beside a folder of append-only audit segments, all in the state
// folder, held by one process at a time.
//
// It owns the file, the lock on the folder, record formats, snapshots, repair and
// the audit chain. It knows nothing of what an entry means; package session does.
//
//	store.go      Store, Options, Open, Close
//	look.go       the folder read and never changed
//	access.go     who may read and write the folder
//	lock.go       one process holds the folder, and says who it is
//	folder.go     the files of the state folder: written, set aside, synced
//	notice.go     what a person should know of it
//	database.go   the bbolt file: transactions that survive a fault
//	open.go       damaged files set aside, snapshots restored, new files made
//	pages.go      the check of a bbolt file that trusts nothing in it
//	snapshot.go   copies of the file
//	record.go     the envelope of every value: version and checksum
//	aside.go      records that can't be read
//	entry.go      session entries and their codec
//	sessions.go   Sessions: append and read
//	values.go     Values: small values by namespace and key
//	audit.go      Audit: record, head, rotation
//	auditkey.go   the key of its chain
//	auditread.go  tail, show, export
//	segment.go    the files of the audit
//	marks.go      what the bbolt file knows of the audit: head, base, incidents
//	recover.go    what a crash left behind the head
//	verify.go     the proof
//	retain.go     bounded clean-up
//	errors.go     what a caller can branch on
//
// Invariants: what was acknowledged is committed and synced; a failed write
// leaves nothing of itself; no read transaction is open while anybody but the
// disk is waited for; a record that can't be read never costs another record; a
// store that a newer program wrote is never touched; bytes that don't fit are
// moved aside, never deleted; whatever was repaired is in Notices.
package store
