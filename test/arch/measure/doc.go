// Package measure reads the Go files of a tree, with their types, and counts what
// the rules of the house and the table in docs/develop.md are about: methods of a
// type, files of a package, arrows between files, names that nobody else uses.
//
// It type-checks the tree's own packages from source. What they import from
// elsewhere comes from the compiled packages that go list names, so that a test
// of the whole tree takes a few seconds. A tree without types (Parse) needs no
// go command.
package measure
