// Package policy decides. It owns the policy file, the rules that no file can
// remove, and one question: may this action happen, under these facts, and which rule
// says so? Package audit below it says what a line of the audit holds.
//
// It refuses to look at the world. Decide reads no clock, file, environment or
// network and logs nothing: Try names what has to be looked up,
// the caller does it and hands the answers in as Facts. What could not be looked
// up is denied.
//
// How a command is judged: its words are judged as argv. Wrappers (env, timeout,
// xargs, sh -c) are opened and what they carry is judged too; shell text is
// parsed and each simple command in it is judged, with every value that its words
// can take. A word that could be anything is only accepted where anything is
// harmless.
//
// The answer:
//
//	policy.go       a policy as a whole: Decide, Try
//	action.go       what is judged, and what every kind of action says of itself:
//	                exec.go, process.go, file.go, self.go (status, plan, setting)
//	facts.go        what a decision may look at, and what has to be looked up
//	decision.go     verdicts, what speaks for them, and a decision explained
//
// The file:
//
//	parse.go        the file as a whole and its examples; parserule.go its rules
//	rule.go         rules as they are held
//	profile.go      a profile, which narrows
//	unattended.go   a person's yes in advance
//	toollist.go     the tools by name, their order and groups
//
// The TOML with its places is package source, words and forms are package argv, how
// they are said to people is package wording, what a line of the audit holds is package
// audit.
//
// An evaluation:
//
//	evaluation.go   an action judged, what the rules said of it, and the decision
//	command.go      one command; wrapper.go what it carries
//	paths.go        the paths of an action, and the rules on them
//	grants.go       what it opens
//
// What is special about single programs (git, xargs, sleep) is a table in package builtin.
//
// Invariants: the zero Verdict denies, and so does everything that no rule
// speaks of. All rules that match are reported and the strictest wins, however
// specific another one is. Built-in rules can be waived by their id, visibly, and
// never removed. A profile only narrows. A question that nobody can answer is a
// denial at once, unless a person said yes in advance to exactly that action of that
// job. The verdict on a script is the strictest verdict on its parts.
package policy
