// Package ways counts what four ways through the program pass: a question to the
// model, a tool call's arguments to a process, a rule to a decision, an answer to
// the call that waits for it.
//
// It builds the agent with a note at the entry of every function (an overlay of the
// compiler: the tree stays as it is), runs it against the scripted model server, and
// marks what travels with a word of its own. A function is on the way when one of
// its arguments holds that word at any depth, or when its receiver holds it near the
// surface. Counted are functions, their files and packages, and how often the way
// turns back: a function is called by one of a package that it stands above.
//
//	go test ./test/ways -v               counts, compares with docs/develop.md
//	go test ./test/ways -update          writes the table there anew
//	go test ./test/ways -v -root DIR     counts another checkout
package ways
