// Package files holds the tools that read and change files.
//
//	roots.go        the folders that paths begin in
//	locate.go       a place, held; walk.go the way there, never through a link
//	read.go, write.go, edit.go, applypatch.go
//	replace.go      one file, whole or not at all
//	commit.go       several files, all or none; journal.go the way back
//
// It refuses to judge which file may be touched: it holds what a path leads to, policy
// judges that, and the act goes through what is held.
//
// Invariants:
//   - No path and no link leads out of the roots.
//   - What policy judged is what is acted on, through the descriptor that its facts were
//     taken from.
//   - A file is new as a whole, or as it was.
package files
