// Package self holds the tools by which a model looks at its own state.
//
//	status.go  time, model and session; setting what a session has of its own
//	plan.go    the model's plan, for a person to see
//
// It keeps nothing: the session's state is behind the interfaces that it declares.
package self
