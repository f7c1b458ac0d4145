package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Call is a tool call that the fake model makes.
type Call struct {
	ID   string
	Name string
	// Args is the JSON of the arguments, sent as it stands; empty means {}.
	Args string
}

// Step is one thing that happens in a stream: at most one line, after Wait.
type Step struct {
	// Wait holds the step until the channel is closed or gives a value.
	Wait <-chan struct{}
	// Text, Thinking and Calls make one line of the stream, when any is set.
	Text, Thinking string
	Calls          []Call
	// Raw is written as it stands, without a newline of its own.
	Raw string
	// Stall ends the script of this reply with an open and silent connection,
	// Drop with a broken one.
	Stall, Drop bool
}

// Counts are the figures of the last line. Nil or zero ones are left out, as
// Ollama does, except Prompt: zero means a quarter of the request's bytes.
type Counts struct {
	Prompt, Output int
	// Cached is prompt_eval_cached_count, which only newer servers send.
	Cached *int
	// The durations are in nanoseconds.
	Total, Load, PromptEval, Eval int64
}

// Reply is one scripted answer to a chat request.
type Reply struct {
	// Status other than 0 and 200 sends Body with that status.
	Status int
	// Body, when set, is sent instead of a stream, as ContentType (JSON unless
	// set).
	Body, ContentType string
	// Location makes a redirect of a 3xx status.
	Location string
	// Steps are the stream. A last line with done and the counts follows unless
	// NoEnd is set.
	Steps []Step
	NoEnd bool
	// DoneReason is stop unless set.
	DoneReason string
	Counts     Counts
}

// Text answers with words, in the given pieces.
func Text(pieces ...string) Reply {
	var r Reply
	for _, p := range pieces {
		r.Steps = append(r.Steps, Step{Text: p})
	}
	return r
}

// Calls answers with native tool calls, all in one line of the stream.
func Calls(calls ...Call) Reply { return Reply{Steps: []Step{{Calls: calls}}} }

// Stream answers with the steps.
func Stream(steps ...Step) Reply { return Reply{Steps: steps} }

// Raw answers with lines as they stand, and nothing after them.
func Raw(lines ...string) Reply {
	return Reply{Steps: []Step{{Raw: strings.Join(lines, "\n") + "\n"}}, NoEnd: true}
}

// Fail answers with an HTTP status and an error in Ollama's form.
func Fail(status int, text string) Reply {
	b, err := json.Marshal(map[string]string{"error": text})
	if err != nil {
		panic(err) // a map of strings always marshals
	}
	return Reply{Status: status, Body: string(b)}
}

// Foreign answers as another kind of server would: a status, a content type and
// a body.
func Foreign(status int, contentType, body string) Reply {
	return Reply{Status: status, ContentType: contentType, Body: body}
}

// head begins every line of a stream. The date is fixed.
func head(model string) string {
	m, _ := json.Marshal(model) // a string always marshals
	return fmt.Sprintf(`{"model":%s,"created_at":"2026-01-01T00:00:00Z","message":`, m)
}

// line is a step as one line of the stream, without its newline.
func (s Step) line(model string) string {
	type function struct {
		Index int             `json:"index"`
		Name  string          `json:"name"`
		Args  json.RawMessage `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id,omitempty"`
		Function function `json:"function"`
	}
	var calls []call
	for i, c := range s.Calls {
		if c.Args == "" {
			c.Args = "{}"
		}
		calls = append(calls, call{c.ID, function{i, c.Name, json.RawMessage(c.Args)}})
	}
	m := struct {
		Role     string `json:"role"`
		Content  string `json:"content"`
		Thinking string `json:"thinking,omitempty"`
		Calls    []call `json:"tool_calls,omitempty"`
	}{"assistant", s.Text, s.Thinking, calls}
	b, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("modeltest: the arguments of a scripted call are no JSON: %v", err))
	}
	return head(model) + string(b) + `,"done":false}`
}

// end is the last line of the stream, without its newline.
func (r Reply) end(model string, body int) string {
	c := r.Counts
	if c.Prompt == 0 {
		c.Prompt = max(1, body/4)
	}
	reason := r.DoneReason
	if reason == "" {
		reason = "stop"
	}
	var b strings.Builder
	b.WriteString(head(model) + `{"role":"assistant","content":""},"done":true`)
	fmt.Fprintf(&b, `,"done_reason":%q,"prompt_eval_count":%d`, reason, c.Prompt)
	if c.Cached != nil {
		fmt.Fprintf(&b, `,"prompt_eval_cached_count":%d`, *c.Cached)
	}
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"eval_count", int64(c.Output)},
		{"total_duration", c.Total},
		{"load_duration", c.Load},
		{"prompt_eval_duration", c.PromptEval},
		{"eval_duration", c.Eval},
	} {
		if f.value != 0 {
			fmt.Fprintf(&b, `,%q:%d`, f.name, f.value)
		}
	}
	b.WriteByte('}')
	return b.String()
}
