package command

import (
	"fmt"
	"strings"
)

// hiddenNote tells of what a command could not see or move, so that a missing file
// does not puzzle anybody.
func (e *ExecTool) hiddenNote(c program) string {
	if len(c.Hidden) == 0 {
		return ""
	}
	note := "commands can't see " + e.cfg.Roots.Relative(c.Hidden[0])
	if n := len(c.Hidden) - 1; n == 0 {
		note += ", which is kept from them"
	} else {
		note += fmt.Sprintf(" and %d more that are kept from them", n)
	}
	if len(c.Pinned) > 0 {
		note += ", nor move " + e.cfg.Roots.Relative(c.Pinned[0]) + " above it"
	}
	return note
}

// lockedNote explains a command's own complaint about a repository.
func (e *ExecTool) lockedNote(c program, shown string) string {
	if len(c.Locked) == 0 || !strings.Contains(shown, "Read-only file system") {
		return ""
	}
	return "commands can't change " + e.cfg.Roots.Relative(c.Locked[0]) + ": only git itself does, when a person says yes"
}

// startsNote tells the model which programs were kept from starting.
func startsNote(refused []string) string {
	const most = 5
	if len(refused) == 0 {
		return ""
	}
	note := "did not start: " + strings.Join(refused[:min(most, len(refused))], "; ")
	if n := len(refused) - most; n > 0 {
		note += fmt.Sprintf("; and %d more, see agent audit show", n)
	}
	return note
}
