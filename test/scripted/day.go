package scripted

// Day is the script of a lab day: what the model says in the turns of test/labday,
// in the order in which they come. The last scene takes what is no question: a
// prompt that is only read ahead is babbled on, as by a real model.
func Day() []Scene {
	return []Scene{
		{Ask: "Good morning", Steps: []Step{say("Good morning, Mara. On the bench lies unit C-017; its burn-in ended in the night.")}},
		{Ask: "What does logs/burn-in.log say", Steps: []Step{
			call("read", `{"path":"logs/burn-in.log"}`),
			say(LogSummary),
		}},
		{Ask: "Is that more than C-012 had", Steps: []Step{say("I know no figures of unit C-012: only that its thermal pad was changed to 0.5 mm.")}},
		{Ask: "Start the soak", Steps: []Step{
			call("exec", `{"argv":["sleep","5400"],"background":true}`),
			say("The soak runs for 90 minutes; I am woken when it ends."),
		}},
		{Ask: "Remember that the soak", Steps: []Step{
			call("edit", `{"path":"MEMORY.md","old":"golden sample:","new":"golden sample, soaked 90 min at 30 W:"}`),
			say("It stands in MEMORY.md now."),
		}},
		{Ask: "<context>", Steps: []Step{say("Your soak of C-017 has just ended without an error; measure the idle current next.")}},
		{Ask: "Bring the codec up", Steps: []Step{
			call("read", `{"path":"skills/codec/SKILL.md"}`),
			say("First the rails, then the clock, then one register read over I2C; stop at the first value that is not as the sheet says."),
		}},
		{Ask: "Write the test plan", Steps: []Step{say(
			"Plan for C-017. One: rails at no load, each within two per cent. Two: idle current below 80 mA. " +
				"Three: sine sweep from 20 Hz to 20 kHz at 1 W, both channels, nothing above 0.1 per cent distortion. " +
				"Four: 30 W for ten minutes, case below 60 C. Five: one hour of pink noise at the lowest volume, no dropouts. " +
				"Anything outside these limits ends that step and goes into a note with its time.")}},
		{Ask: "Count the warnings", Steps: []Step{
			call("read", `{"path":"logs/burn-in.log","limit":20}`),
			say("Two lines of the log are warnings, both of the amplifier."),
		}},
		{Ask: "What did the helper find", Steps: []Step{say("It counted the same two amplifier lines that I read this morning.")}},
		{Ask: "Nightly check", Steps: []Step{say("Nightly: nothing new in logs since the soak; the plan for tomorrow stands.")}},
		{Ask: "Heartbeat", Steps: []Step{say("HEARTBEAT_OK")}},
		{Ask: "Morning report", Steps: []Step{
			call("read", `{"path":"notes/speaker-board.md"}`),
			say("Morning report: board notes unchanged, warning limit 85 C, five steps of the plan are open."),
		}},
		{Ask: "Where did we stop", Steps: []Step{say("Yesterday we stopped after the plan; step one, the rails, comes first today.")}},
		{Ask: "Rails are fine", Steps: []Step{say("Then step two: let it idle for a minute and read the supply.")}},
		{Ask: "Idle current is 74", Steps: []Step{say("That is below the 80 mA of your plan, so it passes; the sweep is next.")}},
		{Ask: "Thank you, that is all", Steps: []Step{say("Until later, then.")}},
		{Steps: []Step{{{Text: "hum hiss buzz", Endless: true}}}},
	}
}
