package policy

import "encoding/json"

// Kind names what an Action touches.
type Kind string

// The kinds of action. Later kinds join here; a kind that Decide does not know
// is denied.
const (
	KindExec   Kind = "exec"
	KindFile   Kind = "file"
	KindStatus Kind = "status" // reads the agent's own state, changes nothing
	// KindProcess minds a command that runs in the background: policy let it start.
	KindProcess Kind = "process"
	// KindSetting changes what one conversation has of its own, never the config.
	KindSetting Kind = "setting"
	// KindPlan writes down a conversation's plan, which nothing acts on.
	KindPlan Kind = "plan"
)

// Action is one thing that a tool wants to do. It holds what was asked for, not
// what the world looks like: that is Facts.
type Action struct {
	Kind Kind   `json:"kind"`
	Tool string `json:"tool"` // the tool that asks: exec, read, …
	Exec *Exec  `json:"exec,omitempty"`
	File *File  `json:"file,omitempty"`
	// Files are the files of an action that touches several, or one in several ways;
	// each is judged and the strictest verdict decides.
	Files []File `json:"files,omitempty"`
	// Process goes with KindProcess; Exec is then the command that gets input.
	Process *Process `json:"process,omitempty"`
	// Setting is what a KindSetting action sets.
	Setting *Setting `json:"setting,omitempty"`
}

// Setting asks to set a conversation's model and what is shown of its thinking; an
// empty field stays as it is.
type Setting struct {
	Model     string `json:"model,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
}

// Exec asks to run a program (Argv) or shell text (Script); exactly one is set.
type Exec struct {
	Argv       []string `json:"argv,omitempty"`
	Script     string   `json:"script,omitempty"`
	Cwd        string   `json:"cwd"` // absolute
	Env        []string `json:"env,omitempty"`
	Stdin      string   `json:"stdin,omitempty"`
	TimeoutS   int      `json:"timeout_s,omitempty"`
	Background bool     `json:"background,omitempty"`
}

// Process asks to look at, feed or end a command in the background.
type Process struct {
	Op string `json:"op"` // list, poll, log, write, keys, kill, remove
	ID string `json:"id,omitempty"`
	// Input is true when text reaches the command: it is then judged as if it had
	// been started with that text as its stdin.
	Input bool `json:"input,omitempty"`
}

// FileOp is what a file action does.
type FileOp string

// The file operations. List sees names, sizes and times, never contents; who may
// read may list. Remove takes a file away; who may write in a folder may, and no rule
// of a file names it.
const (
	Read   FileOp = "read"
	Write  FileOp = "write"
	List   FileOp = "list"
	Remove FileOp = "remove"
)

// File asks for a file. Path is as the model wrote it; where it leads is a fact.
type File struct {
	Op   FileOp `json:"op"`
	Path string `json:"path"`
}

// Digest is the text that binds an approval to exactly this action.
func (a Action) Digest() string {
	b, err := json.Marshal(a)
	if err != nil { // plain strings and numbers always marshal
		panic("policy: internal error: " + err.Error())
	}
	return digest(b)
}
