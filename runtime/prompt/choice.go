package prompt

import (
	"fmt"

	"hardshell/runtime/event"
	"hardshell/runtime/model"
)

// Off is the level of a model that is not asked to think.
const Off = "off"

// Chosen is the model that a conversation talks to, with its window, and how much it
// thinks.
type Chosen struct {
	model.Choice
	Level string // of thinking: off, low, medium, high
}

// replyShare bounds the part of the window that is kept for the reply: a quarter.
const replyShare = 4

// Reserve is how many tokens one request may generate: as configured
// (model.num_predict), and never more than a quarter of the window.
func (c Chosen) Reserve(numPredict int) int {
	return max(1, min(numPredict, c.NumCtx/replyShare))
}

// Think is what the model is asked of its thinking.
func (c Chosen) Think() model.Think { return model.ThinkFor(c.Info, c.Level) }

// introduced is what a person should know of the model at the start of a conversation.
func (c Chosen) introduced() []event.Notice {
	var out []event.Notice
	if c.Why != "" {
		out = append(out, event.Notice{Code: "model_chosen", Message: c.Info.Name + ": " + c.Why, Hint: "agent model use NAME settles it"})
	}
	if c.Changed != "" {
		out = append(out, event.Notice{
			Code: "model_changed", Message: fmt.Sprintf("%s with a window of %d tokens, since %s", c.Info.Name, c.NumCtx, c.Changed),
			Hint: "model.name and model.num_ctx settle it",
		})
	}
	if c.Info.Enveloped() {
		out = append(out, event.Notice{Code: "no_tools", Message: c.Info.Name + " " + withoutTools, Hint: "agent model list shows models that can call tools"})
	}
	return out
}

// withoutTools says what a model without tool calls is like.
const withoutTools = "has no tool calls of its own: the tools stand in its system text, its answers are held to JSON, and it will do less"
