// Package wording says words to people: quoted, cut, free of what a terminal would
// act on, and the word that a mistyped one was probably meant to be. It knows nothing
// of policy and reads nothing.
package wording
