package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"time"
)

// Facts carries everything that varies and that a decision may look at. Policy
// reads no clock, no file and no environment: whoever asks looks these up.
type Facts struct {
	Now time.Time
	// Agent, Session and Run say on whose behalf: run is chat, cron, heartbeat,
	// wake, announce, sub or hook.
	Agent, Session, Run string
	// Job is the id of the job whose run this is, as the scheduler gave it: no name
	// that a model chose, and never given twice. Empty outside of jobs.
	Job string
	// Attended is true when a person can answer a question now.
	Attended bool
	// Programs tells, for each program word that Subjects named, what it
	// resolves to. A word that is missing here was not found.
	Programs map[string]Program
	// Paths tells, for each path that Subjects named, where it leads. A path
	// that is missing here could not be looked up and is denied.
	Paths map[string]Path
	// Roots are the named folders that the policy's path rules speak of
	// (workspace, docs, skills, tmp, home), as absolute resolved paths. Those of
	// the agent itself (state, config, run, binary, unit) are protected: nothing
	// reads or writes them.
	Roots map[string]string
	// Globs tells, for each name pattern that Subjects named, which paths it
	// expands to now, as the shell would write them. A pattern that is missing
	// here could not be expanded and is denied.
	Globs map[string][]string
	// Confined is true when every mandatory layer of the sandbox holds the
	// command that is judged.
	Confined bool
	// GitRuns are settings of repositories in the workspace that could make git run
	// programs, as "file: section.key = value"; looked up when the action runs git.
	GitRuns []string
	// Used tells when each rule with a rate was last used, by rule id. While it
	// is nil, such a rule denies.
	Used map[string][]time.Time
}

// Program is a program word as it was resolved in the system directories.
type Program struct {
	// Path is where the word was found, Real the file behind all links.
	Path, Real string
	// Writable is true when the real file or one of its folders can be changed
	// by the user that commands run as.
	Writable bool
	// Hash is the sha-256 of the real file in hex, looked up only for writable
	// programs.
	Hash string
}

// Path is a path as it was resolved against the working folder, all links
// followed.
type Path struct {
	// Abs is the path made absolute and clean, links not followed; Real is where
	// it leads with every link followed (the deepest existing folder followed,
	// the rest appended, for a path that does not exist yet).
	Abs, Real string
	Exists    bool
	// Link is true when the last part is itself a link.
	Link bool
	// Kind is "file", "dir", "device", "pipe", "socket" or "" when it does not
	// exist.
	Kind string
}

// digest is the hex sha-256 of b.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Subjects is what an action touches, to be looked up in the world before
// Decide is asked.
type Subjects struct {
	// Programs are the program words to resolve; Paths the paths to follow, as
	// written, relative to the action's working folder.
	Programs, Paths []string
	// Globs are the name patterns of shell text to expand against the working
	// folder; what they expand to belongs into Facts.Globs, and Missing then
	// names the paths that follow from it.
	Globs []string
}

// Empty is true when nothing has to be looked up.
func (s Subjects) Empty() bool { return len(s.Programs)+len(s.Paths)+len(s.Globs) == 0 }

// known is what is known of the world, and collects what is not.
type known struct {
	facts   Facts
	missing *Subjects // nil where everything was looked up
	trial   *execRule // the rule whose example is judged, nil outside of examples
}

// program is what a program word resolves to; ok is false when it was not found.
// While facts are gathered the word is noted and counts as a system program.
func (w *known) program(text string) (p Program, ok bool) {
	if w.trial != nil {
		return w.trial.exampleProgram(text), true
	}
	p, ok = w.facts.Programs[text]
	if !ok && w.missing != nil {
		w.missing.Programs = append(w.missing.Programs, text)
		file := "/usr/bin/" + path.Base(text)
		return Program{Path: file, Real: file}, true
	}
	return p, ok
}

// at is where a path leads; ok is false when it could not be looked up. While
// facts are gathered such a path is noted.
func (w *known) at(key string) (p Path, ok bool) {
	if w.trial != nil {
		abs := examplePath(key)
		return Path{Abs: abs, Real: abs, Exists: true}, true
	}
	p, ok = w.facts.Paths[key]
	if !ok && w.missing != nil {
		w.missing.Paths = append(w.missing.Paths, key)
	}
	return p, ok
}

// exampleProgram is a program of an example: one of the system, or where it says;
// the rule's own when the rule is bound to its contents.
func (r *execRule) exampleProgram(text string) Program {
	file := text
	if !strings.Contains(text, "/") {
		file = "/usr/bin/" + text
	}
	return Program{Path: file, Real: file, Writable: r.hash != "", Hash: r.hash}
}

// examplePath is where the path of an example leads: where it says, and into the
// workspace when it is relative.
func examplePath(text string) string {
	switch {
	case strings.HasPrefix(text, "/"):
		return path.Clean(text)
	case strings.HasPrefix(text, "~/"):
		return path.Join(exampleRoots["home"], text[2:])
	default:
		return path.Join(exampleRoots["workspace"], text)
	}
}
