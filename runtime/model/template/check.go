package template

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
)

// Renderer shows what a server makes of a request. *model.Client is one.
type Renderer interface {
	Render(ctx context.Context, q model.Request) (string, error)
}

// Step is one request of the probe conversation held against the one before.
type Step struct {
	// What says how the conversation grew: "a tool result", "the second question".
	What string `json:"what"`
	// Before is the size of the rendering before, Kept how much of it the next
	// one begins with, Lost what has to be read again, all in bytes.
	Before int `json:"before_bytes"`
	Kept   int `json:"kept_bytes"`
	Lost   int `json:"lost_bytes"`
	// Part names what stands where the two part; Was and Is are the texts there.
	Part string `json:"part,omitempty"`
	Was  string `json:"was,omitempty"`
	Is   string `json:"is,omitempty"`
}

// Report says of a model whether each turn's rendering begins with the one
// before.
type Report struct {
	Model string `json:"model"`
	Safe  bool   `json:"safe"`
	Steps []Step `json:"steps"`
	// Tools is true when the rendering shows the tools at all.
	Tools bool `json:"tools_shown"`
	// Enveloped is true when the tools were sent in the system text, and calls and
	// results as plain messages.
	Enveloped bool `json:"enveloped"`
	// Answers is true when the opening of an answer is rendered otherwise once the
	// answer is there: each answer is read once more then, and nothing else.
	Answers bool `json:"answers_read_again"`
	// Think is what was asked of native thinking; empty: nothing.
	Think model.Think `json:"think,omitempty"`
}

// The probe's texts carry marks that no template and no model writes.
const (
	markSystem = "probe-system-7f3a"
	markTool   = "probe_tool_7f3a"
)

// mark is the mark of one message.
func mark(i int) string { return fmt.Sprintf("probe-message-%d-7f3a", i) }

// probe is a conversation as it grows over three turns, with a call and its
// result in the first and the last.
func probe() (msgs []message.Message, offers []message.Offer, grows []int, what []string) {
	call := func(i int) message.Message {
		id := fmt.Sprintf("call%d", i)
		args, _ := json.Marshal(map[string]string{"path": mark(i)}) // a map of strings always marshals
		return message.Message{Role: message.Assistant, Calls: []message.Call{{ID: id, Name: markTool, Args: args}}}
	}
	result := func(i, of int) message.Message {
		return message.Message{Role: message.Tool, Text: mark(i), ToolName: markTool, CallID: fmt.Sprintf("call%d", of)}
	}
	msgs = []message.Message{
		{Role: message.System, Text: markSystem},
		{Role: message.User, Text: mark(1)},
		call(2), result(3, 2),
		{Role: message.Assistant, Text: mark(4)},
		{Role: message.User, Text: mark(5)},
		{Role: message.Assistant, Text: mark(6)},
		{Role: message.User, Text: mark(7)},
		call(8), result(9, 8),
	}
	offers = []message.Offer{{
		Name: markTool, Description: "reads a file",
		Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
	}}
	return msgs, offers, []int{2, 4, 6, 8, 10}, []string{"", "a tool result", "the second question", "the third question", "a tool result in the third turn"}
}

// Like is what all requests of an agent to a model have in common, for a window in
// tokens and a level of thinking (off, low, medium, high).
func Like(info model.Info, numCtx int, level string) model.Request {
	return model.Request{Model: info.Name, NumCtx: numCtx, NumPredict: 1, Think: model.ThinkFor(info, level), Enveloped: info.Enveloped()}
}

// Check renders the probe conversation step by step through the server, as requests
// like the given one.
func Check(ctx context.Context, r Renderer, like model.Request) (Report, error) {
	msgs, offers, grows, what := probe()
	rep := Report{Model: like.Model, Safe: true, Enveloped: like.Enveloped, Think: like.Think}
	before, last := "", 0
	like.Tools = offers
	for i, n := range grows {
		like.Messages = msgs[:n]
		text, err := r.Render(ctx, like)
		if err != nil {
			return Report{}, err
		}
		if i == 0 {
			rep.Tools = strings.Contains(text, markTool)
		} else {
			s := compare(before, text, last)
			s.What = what[i]
			rep.Safe = rep.Safe && s.Lost == 0
			rep.Answers = rep.Answers || s.Lost == 0 && !strings.HasPrefix(text, strings.TrimRight(before, " \n"))
			rep.Steps = append(rep.Steps, s)
		}
		before, last = text, n-1
	}
	return rep, nil
}

// compare finds how much of a rendering the next one keeps. What stands behind
// the last message (the opening of the answer) does not count: it is short, and
// Report.Answers tells of it.
func compare(before, after string, last int) Step {
	end := strings.LastIndex(before, mark(last))
	if end < 0 {
		return Step{Before: len(before), Lost: len(before), Part: fmt.Sprintf("message %d is missing in the rendering", last)}
	}
	end += len(mark(last))
	kept := common(before, after)
	s := Step{Before: end, Kept: min(kept, end), Lost: max(0, end-kept)}
	if s.Lost > 0 {
		s.Part = part(before, kept)
		s.Was, s.Is = excerpt(before, kept), excerpt(after, kept)
	}
	return s
}

// common is the length of the longest common beginning, cut between characters.
func common(a, b string) int {
	n := model.Shared(a, b)
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// part names what stands at a place of a rendering: the nearest mark before it.
func part(text string, at int) string {
	name, found := "what stands before the system text", -1
	look := func(m, is string) {
		if i := strings.LastIndex(text[:at], m); i > found {
			name, found = is, i
		}
	}
	look(markSystem, "behind the system text")
	look(markTool, "behind the tools or a call")
	for i := 1; i < 10; i++ {
		look(mark(i), fmt.Sprintf("behind message %d", i))
	}
	return name
}

// excerpt is the beginning of what stands at a place.
func excerpt(text string, at int) string {
	const most = 60
	rest := text[at:]
	if len(rest) <= most {
		return rest
	}
	n := most
	for n > 0 && !utf8.RuneStart(rest[n]) {
		n--
	}
	return rest[:n] + "…"
}
