package doctor

// Level says how grave a finding is.
type Level string

// The levels, gravest first.
const (
	Error   Level = "error"   // something does not work, or something that was relied on is broken
	Warning Level = "warning" // it works, and worse or less safely than it should
	Note    Level = "note"    // it is so because somebody chose it
)

// Finding is one thing that a person should know.
type Finding struct {
	// ID is what scripts rely on: a subject, a dot, what is the matter with it.
	ID    string `json:"id"`
	Level Level  `json:"level"`
	// What is the case, Why it matters, Action what to do about it: one sentence each.
	What   string `json:"what"`
	Why    string `json:"why"`
	Action string `json:"action"`
	// Fixable is true when the action is a command of the agent's own.
	Fixable bool `json:"fixable"`
}
