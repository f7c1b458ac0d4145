// Package span writes a stretch of time as people do.
//
//	span.go  the one function
//
// It owns that form for every reader: persons, models and records. It refuses to
// round, and to read: who reads a span knows which forms it takes.
package span
