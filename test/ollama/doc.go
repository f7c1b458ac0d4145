// Package ollama runs a real model server for tests and the demo, and reads the
// truth about reuse out of its debug log.
//
// It owns the servers that it starts: a port of their own on 127.0.0.1, a model
// folder of their own, their own home. It never writes to a server that was
// there before, and it never stops one. The setup script beside it brings the
// server program and the small real model; Setup calls it.
//
// Invariants: every model that it creates carries the prefix "hardshell-";
// a server that a test started ends with that test's process, however that ends.
package ollama
