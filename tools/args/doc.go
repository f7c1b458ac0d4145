// Package args holds a tool's arguments: their schema, made from a struct, and the
// repair of what a model wrote so that it fits.
//
//	schema.go      from an argument struct to its schema; from checked arguments to it
//	shape.go       the part of a schema that repair goes by
//	repair.go      loosely typed arguments made to fit, by the schema alone
//	value.go       JSON values in the order in which they were written
//	error.go       which argument does not fit, and what is wanted
//	redactjson.go  arguments without secret values
//
// It owns what may be repaired and the words of an argument's error. It refuses to guess:
// text where text is wanted is never touched, and a value that fits no type is an error
// that names its field.
//
// Invariants:
//   - What Repair gives fits the schema, and Repair changes it no more.
//   - Every change is told, a sentence each.
package args
