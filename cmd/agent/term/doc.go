// Package term is the terminal: what a person sees of a turn, of a table and of an
// error, and what a person types.
//
// The program's voice. Answers and tables go to stdout, everything else to stderr. What the program
// itself says during a turn begins with the mark ▌, stands on a line of its own
// and is short: what is called, what policy said and by which rule, what came of
// it, what it cost. The mark never occurs in the text of a model, a file or a
// command, so that no text can pass itself off as a verdict or a question. Errors
// are two lines, "agent: what happened" and "try: what to do", without capitals
// and full stops. Nothing is coloured unless stderr is a terminal and NO_COLOR is
// not set, and then only the program's own lines are; the cursor is never moved.
//
//	voice.go     a turn as a person sees it; thought.go its thinking
//	question.go  a permission that a person is asked for, and the answer typed
//	editor.go    the line that is typed, with its history.go
//	splitter.go  streamed text, cut only where it may be cut
//	lines.go     messages from a stream that is no terminal
//	print.go     JSON, and text of others made harmless
//	table.go     rows in columns
//	report.go    an error in two lines, or in JSON
//	progress.go  how far a download is
//
// It refuses to know the commands and the agent: it is handed events and values.
//
// Invariant: text of a model, a file or a command never reaches a terminal uncleaned.
package term
