package labday

import (
	"slices"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
)

// Habits are what most of today's agents do to a prompt: a clock in the system text,
// to the minute, and a line of the run kind. They stand at its end here, where they
// do the least harm.
type Habits struct{}

// kindLines are what such prompts say of a run kind.
var kindLines = map[string]string{
	"chat":      "You talk with a person.",
	"cron":      "This is a scheduled run. Nobody is present.",
	"heartbeat": "This is a heartbeat. Answer HEARTBEAT_OK when nothing needs attention.",
	"wake":      "You were woken by an event.",
}

// change gives a request its habits.
func (*Habits) change(q model.Request, r Request) model.Request {
	q.Messages = slices.Clone(q.Messages)
	text := q.Messages[0].Text
	if line := kindLines[r.Kind]; line != "" {
		text += "\n\n" + line
	}
	q.Messages[0] = message.Message{
		Role: message.System, Text: text + "\n\nCurrent time: " + r.At.In(zone).Format("Monday, 2 January 2006, 15:04"),
	}
	return q
}
