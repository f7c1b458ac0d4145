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
	Agent Agent
	Host  Host
	// Tools in the order of the tool array, already filtered by policy.
	Tools []Tool
	// Workspace is the working folder; Writable are the folders that may be
	// written.
	Workspace Workspace
	// Files are the workspace files in any order; Render ranks them.
	Files []File
	// Limits bound the project context.
	Limits Limits
	// Zone is the IANA name of the time zone, empty when unknown.
	Zone string
	// Confined describes the sandbox of commands; nil when there is none.
	Confined *Confined
	// Model is what the runtime line names.
	Model Model
	// Turn is what rides at the tail of the newest user message.
	Turn Turn
}

// Agent names who speaks.
type Agent struct {
	ID string // "main"
}

// Host is the machine: facts that are fixed for a session.
type Host struct {
	Name, Board, OS, Arch string
}

// Tool is a tool as the prompt tells of it.
type Tool struct {
	Name string
	// Description goes into the tool array, Guide (when to use it, what to mind)
	// into the Tooling section.
	Description, Guide string
	Schema             json.RawMessage
}

// Workspace is the folder that file tools and commands start in.
type Workspace struct {
	Dir      string
	Writable []string
}

// File is one workspace file as it was read.
type File struct {
	// Name is the path relative to the workspace root, as it is written there.
	Name string
	// Data is the raw content; Missing is true when an expected file is not
	// there; Problem says why a file could not be read.
	Data    []byte
	Missing bool
	Problem string
}

// Limits bound the project context. Sizes are in characters; zero takes the
// default.
type Limits struct {
	File        int     // bootstrap_max_chars, default 20,000
	Total       int     // bootstrap_total_max_chars, default 60,000
	WindowShare float64 // bootstrap_window_share, default 0.30
	Window      int     // the model's window in tokens; 0: the share does not bite
}

// Confined tells the model what commands can see and reach.
type Confined struct {
	Network bool
	Note    string
}

// Model is what the runtime line names.
type Model struct {
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
	// Changed names workspace files that are newer than the prompt.
	Changed []Changed
}

// Changed is a workspace file that differs from the copy in the prompt.
type Changed struct{ Name, Frozen, Now string }

// Prompt is what is sent.
type Prompt struct {
	System string
	Tools  []Tool
	// TurnContext is appended to the newest user message; empty on an unchanged
	// turn.
	TurnContext string
	Report      Report
}

// Report lists every part of the prompt.
type Report struct {
	Parts []Part `json:"parts"`
}

// Part is one part of the prompt.
type Part struct {
	Name   string `json:"name"`
	Source string `json:"source,omitempty"` // the file it came from
	Raw    int    `json:"raw_bytes"`
	Used   int    `json:"used_bytes"`
	Tokens int    `json:"estimated_tokens"`
	Hash   string `json:"sha256"`
	Cut    bool   `json:"cut,omitempty"`
	Note   string `json:"note,omitempty"`
	Stable bool   `json:"stable"` // false: it belongs to the turn
}
