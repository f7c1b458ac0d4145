package scripted

// LogSummary is what the scripted model says of the demo's burn-in log. A test
// holds every number in it against the log.
const LogSummary = "Unit C-017 passed its 6 h burn-in: 2 amplifier temperature warnings (86.5 C and 87.5 C, limit 85 C), " +
	"1 repeated I2C transfer, 0 shut-downs."

// Lab is the script of a session at the audio bench. Its questions are those of
// the demo; the scenes after them give the integration tests a model that
// misbehaves on purpose.
//
// Long: it is one table.
func Lab() []Scene {
	return []Scene{
		{Ask: "Summarise logs/burn-in.log", Steps: []Step{
			call("read", `{"path": "logs/burn-in.log"}`),
			{
				{When: "burn-in of unit C-017 starts", Text: LogSummary},
				{Text: "I could not read logs/burn-in.log, so there is no summary."},
			},
		}},
		{Ask: "Which processor", Steps: []Step{
			call("exec", `{"argv": ["uname", "-m"]}`),
			{
				{When: "x86_64", Text: "It is an x86_64 machine, by uname."},
				{When: "aarch64", Text: "It is an aarch64 machine, by uname."},
				{Text: "uname gave no processor that I know."},
			},
		}},
		{Ask: "Reboot", Steps: []Step{
			call("exec", `{"argv": ["reboot"]}`),
			say("I did not reboot this machine: the policy refuses it from here. A person can do it at the console."),
		}},
		{Ask: "Write a note", Steps: []Step{
			call("write", `{"path": "notes/C-017.md", "content": "# C-017\n\nPassed the burn-in; 2 temperature warnings, highest 87.5 C.\n"}`),
			say("The finding is in notes/C-017.md."),
		}},
		{Ask: "Compare", Steps: []Step{
			call("read", `{"path": "notes/speaker-board.md", "limit": 12}`),
			call("exec", `{"argv": ["grep", "-c", "over the warning limit", "logs/burn-in.log"]}`),
			say("The note sets the warning limit at 85 C; the log went over it 2 times and never reached the shut-down."),
		}},
		{Ask: "Correct the note", Steps: []Step{
			call("edit", `{"path": "notes/C-017.md", "old": "2 temperature warnings", "new": "two temperature warnings"}`),
			say("The note now spells the number out."),
		}},
		{Ask: "How are you set up", Steps: []Step{
			call("session_status", `{}`),
			say("The status above names the model, the session and what its window holds."),
		}},
		{Ask: "What can you do", Steps: []Step{
			say("I read the bench's logs and notes, run the commands that the policy allows, and write notes."),
		}},
		{Ask: "And in one word", Steps: []Step{say("Bench work.")}},
		{Ask: "Thank you", Steps: []Step{say("Good luck at the bench.")}},
		{Ask: "Read both files", Steps: []Step{
			{{Calls: []Call{
				{"read", `{"path": "notes/speaker-board.md"}`},
				{"read", `{"path": "logs/burn-in.log", "limit": 3}`},
			}}},
			say("Both files are read."),
		}},
		// A model that writes its call as text, as small models do.
		{Ask: "Show the memory", Steps: []Step{
			{{Calls: []Call{{"read", `{"path": "MEMORY.md"}`}}, Fenced: true}},
			say("The memory names the golden sample, the thermal pad and the pull-ups."),
		}},
		// A model that leaves the workspace.
		{Ask: "Read the password file", Steps: []Step{
			call("read", `{"path": "/etc/shadow"}`),
			say("That file is outside of what I may read."),
		}},
		// A model that does not stop.
		{Ask: "Count", Steps: []Step{{{Text: "tick tock", Endless: true}}}},
		{Steps: []Step{say("My script has no line for that.")}},
	}
}
