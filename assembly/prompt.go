package assembly

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

// Part is one part of the prompt. The stable parts named "tool NAME" are the tool
// array; all other stable parts, in order, make up System byte for byte, the
// blank lines between them counted with the part that follows.
type Part struct {
	Name   string `json:"name"`
	Source string `json:"source,omitempty"` // the file it came from
	// Raw is the size of the source, Used what of it, our heading and marks
	// included, is sent.
	Raw    int `json:"raw_bytes"`
	Used   int `json:"used_bytes"`
	Tokens int `json:"estimated_tokens"`
	// Hash is of the bytes used, SourceHash of the file as it was given.
	Hash       string `json:"sha256"`
	SourceHash string `json:"source_sha256,omitempty"`
	// Cut is true when content was left out, in part or whole; Note then names
	// the limit with its value and key. Note is also set when content was
	// changed in other ways that an owner should know of.
	Cut    bool   `json:"cut,omitempty"`
	Note   string `json:"note,omitempty"`
	Stable bool   `json:"stable"` // false: it belongs to the turn
}
