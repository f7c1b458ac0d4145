package assembly

import (
	"encoding/json"
	"time"
)

// Mode picks how much of the system text is rendered. The runtime chooses it;
// it is no user setting. The zero value renders nothing but the identity line.
type Mode uint8

// The modes.
const (
	None    Mode = iota // tests and special callers: the identity line alone
	Minimal             // sub-agents
	Full                // the agent's own turns, of every run kind
)

// Run is the kind of turn. It never changes the system text or the tool array,
// only the turn context.
type Run string

// The run kinds.
const (
	Chat      Run = "chat"
	Cron      Run = "cron"
	Heartbeat Run = "heartbeat"
	Wake      Run = "wake"
	Announce  Run = "announce"
)

// Input is everything that a prompt may say. Render reads nothing else: no
// clock, no file, no environment.
type Input struct {
	Mode  Mode
	Agent Identity
	Host  Host
	// Tools in the order of the tool array, already filtered by policy.
	Tools []Tool
	// Workspace is the working folder; Writable are the folders that may be
	// written.
	Workspace WorkFolder
	// Files are the workspace files in any order; Render ranks them.
	Files []File
	// Limits bound the project context.
	Limits Budget
	// Zone is the IANA name of the time zone, empty when unknown.
	Zone string
	// Confined describes the sandbox of commands; nil when there is none.
	Confined *Confined
	// Model is what the runtime line names; its name and family choose the
	// overlay.
	Model ModelFacts
	// Overlay replaces the one that the model's name and family choose.
	Overlay *Overlay
	// Skills are listed when read is offered, in any order.
	Skills []Skill
	// Commands are the operator commands that exist ("/help", "/stop").
	Commands []string
	// Aliases are the model names to use.
	Aliases []Alias
	// Docs is where the read tool finds the manual; empty when there is none.
	Docs string
	// Knobs switch single sections on.
	Knobs Knobs
	// BytesPerToken is what the Report's token estimates are made with; zero
	// takes a usual figure. It never changes what is rendered.
	BytesPerToken float64
	// Turn is what rides at the tail of the newest user message.
	Turn Turn
}

// Identity names who speaks.
type Identity struct {
	ID string // "main"
}

// Host is the machine: facts that are fixed for a session.
type Host struct {
	Name  string `json:"name"`
	Board string `json:"board"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
}

// Tool is a tool as the prompt tells of it.
type Tool struct {
	Name string
	// Description goes into the tool array, Guide (when to use it, what to mind)
	// into the Tooling section.
	Description, Guide string
	Schema             json.RawMessage
}

// WorkFolder is the one that file tools and commands start in.
type WorkFolder struct {
	Dir      string
	Writable []string
	// Repo is the root of the repository that Dir lies in; empty when none.
	Repo string
}

// Skill is one entry of the skills list. Location is the path of its SKILL.md as
// the read tool takes it.
type Skill struct{ Name, Description, Location string }

// Alias is a short name for a model.
type Alias struct{ Name, Model string }

// Knobs switch sections on; the zero value leaves them all out.
type Knobs struct {
	// Delegate is delegation mode "prefer".
	Delegate bool
	// Citations asks for path and line of what memory gave; WideCitations does so
	// where the model's window has 8192 tokens or more.
	Citations, WideCitations bool
	// ReplyTags tells of reply and attachment marks.
	ReplyTags bool
	// Silence tells of NO_REPLY.
	Silence bool
	// ReasoningTags asks a model without native thinking for think and final
	// marks.
	ReasoningTags bool
	// HideCutNotice leaves out the sentence that some files are shortened; the
	// marks in the files stay. RepeatCutNotice names those files in every turn
	// context too.
	HideCutNotice, RepeatCutNotice bool
	// TwelveHour shows times in the turn context as 2:05 PM.
	TwelveHour bool
}

// wideWindow is the window, in tokens, from which on Knobs.WideCitations asks.
const wideWindow = 8192

// File is one workspace file as it was read.
type File struct {
	// Name is the path relative to the workspace root, as it is written there.
	Name string
	// Data is the raw content; Missing is true when an expected file is not
	// there; Problem says why a file could not be read.
	Data    []byte
	Missing bool
	Problem string
	// Hook names the hook that gave the content in place of the folder's; empty for
	// a file of the folder.
	Hook string
}

// Budget bounds what files and lists may take. Sizes are in characters; zero takes
// the default.
type Budget struct {
	File        int     // bootstrap_max_chars, default 20,000
	Total       int     // bootstrap_total_max_chars, default 60,000
	WindowShare float64 // bootstrap_window_share, default 0.30
	Window      int     // the model's window in tokens; 0: the share does not bite
	Skills      int     // max_skills_prompt_chars, default 6,000
}

// Confined tells the model what commands can see and reach.
type Confined struct {
	Network bool
	Note    string
}

// ModelFacts is what the runtime line names.
type ModelFacts struct {
	Name, Family, Thinking string
	Window                 int // tokens
	NativeThinking         bool
}

// Turn is what changes from turn to turn.
type Turn struct {
	Run Run
	// Time is the local time of the message; the zero value leaves the envelope
	// out.
	Time time.Time
	// Facts are changed runtime facts, one sentence each, in order.
	Facts []string
	// Tags asks a model without native thinking for think and final marks from now
	// on, or no longer for them, when that changed after its system text was made.
	Tags Tags
	// Plan is the session's plan, one line for each step, where the model does not
	// know it any more.
	Plan []string
	// Running are exec sessions that run now, Approvals questions that wait for
	// a person: one line each.
	Running, Approvals []string
	// Changed names workspace files that are newer than the prompt.
	Changed []Changed
	// Shortened names files of a frozen prompt that are not whole in it, for
	// RepeatCutNotice. Render takes those that it shortens itself.
	Shortened []string
	// Job names the scheduled job of a cron run.
	Job string
	// Event is what a wake or an announce run is about.
	Event Event
	// Extra is context that the caller adds: the task frame of a sub-agent, or
	// what a conversation is about.
	Extra string
	// Snippets are pieces that were retrieved for this turn.
	Snippets []Snippet
}

// Tags is a change of the Reasoning format within a session.
type Tags uint8

// The changes.
const (
	TagsAsBefore Tags = iota
	TagsAsked
	TagsEnded
)

// Changed is a workspace file that differs from the copy in the prompt. The
// hashes may also be words like "missing".
type Changed struct{ Name, Frozen, Now string }

// Event is what started a wake or an announce run.
type Event struct {
	// From names the command, pin or sub-agent; Outcome says how it ended.
	From, Outcome string
	// Text is its output, untrusted.
	Text string
}

// Snippet is a retrieved piece of text, untrusted.
type Snippet struct{ Source, Text string }
