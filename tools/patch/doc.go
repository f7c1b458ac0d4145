// Package patch reads patches and applies them to text.
//
// It owns the form that models are trained on ("*** Begin Patch", "*** Update File: …")
// and the rule where a hunk belongs.
//
// It refuses unified diffs: one form is enough, and small models miscount the lines
// that such a diff announces. It refuses to touch files: whoever applies a patch hands in the old text and gets
// the new one. It refuses to guess: a hunk has to stand in the text exactly, at one
// place, or at several of which its line number is one.
//
// Invariants: applying hunks that were made from a and b to a gives b. Lines that a
// hunk does not change keep their bytes. Nothing is applied in part.
//
// Files: patch.go (what a patch is), envelope.go (its form), hunk.go (the lines between),
// place.go (where a hunk belongs), apply.go.
package patch
