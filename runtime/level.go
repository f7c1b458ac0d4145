package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/runtime/prompt"
	"hardshell/runtime/reply"
	"hardshell/runtime/session"
	"hardshell/tools/text"
)

// off is the lowest of both levels and what holds where nothing is set.
const off = prompt.Off

// The words of the two levels: how much the model thinks, and what of it a person
// sees (on: as one block before the answer, stream: as it comes).
var (
	thinkLevels = []string{off, "low", "medium", "high"}
	showLevels  = []string{off, reply.ShowOn, reply.ShowStream}
)

// byDefault takes a setting of a conversation back.
const byDefault = "default"

// Keys under which a session keeps its settings, and under which it tells the
// model of a level.
const (
	keyModel     = "model"
	keyReasoning = "reasoning"
)

// Change sets what one conversation has of its own. An empty field stays as it is,
// "default" takes the agent's own setting again.
type Change struct {
	Session string `json:"session,omitempty"`
	// Model is a name on the server or an alias.
	Model string `json:"model,omitempty"`
	// Think is off, low, medium or high.
	Think string `json:"think,omitempty"`
	// Reasoning is off, on or stream: what is shown of the thinking.
	Reasoning string `json:"reasoning,omitempty"`
}

// SessionSettings are what holds for a conversation from its next turn on.
type SessionSettings struct {
	Session   string `json:"session"`
	Model     string `json:"model"` // empty until the server was asked for the best one
	Think     string `json:"think"`
	Reasoning string `json:"reasoning"`
	// Notes tell what the change means and costs.
	Notes []string `json:"notes"`
}

// Adjust sets what a conversation has of its own and gives what holds now. It
// works from the next turn on, and is kept until it is set again. Nothing is
// changed when a part of it is wrong.
func (a *Agent) Adjust(ctx context.Context, ch Change) (SessionSettings, error) {
	ch.Session = a.sessions.own(ch.Session)
	if p := ch.check(); p != nil {
		return SessionSettings{}, p
	}
	s, err := a.sessions.get(ch.Session)
	if err != nil {
		return SessionSettings{}, err
	}
	look, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	if ch.Model != "" && ch.Model != byDefault {
		if ch.Model, err = a.models.usable(look, ch.Model); err != nil {
			return SessionSettings{}, err
		}
	}
	before, level := a.models.wanted(s), a.models.level(s)
	if err := ch.keep(s); err != nil {
		return SessionSettings{}, err
	}
	out := SessionSettings{Session: ch.Session, Model: a.models.wanted(s), Think: a.models.level(s), Reasoning: a.models.shows(s), Notes: []string{}}
	c, err := a.models.choose(look, s)
	if err == nil {
		out.Model = c.Info.Name
	}
	if ch.Model != "" && out.Model != before {
		out.Notes = append(out.Notes, "the server reads the conversation anew once, since its cache belongs to a model")
	}
	if ch.Think != "" && err == nil {
		out.Notes = append(out.Notes, thinkNote(c)...)
	}
	if err == nil && out.Think != level && (ch.Model == "" || out.Model == before) {
		was := c
		was.Level = level
		out.Notes = append(out.Notes, a.warm.LevelCost(look, c.Info, was.Think(), c.Think(), func(ctx context.Context) (model.Request, error) {
			return a.prompts.Fill(ctx, was, s)
		})...)
	}
	if ch.Model != "" || ch.Think != "" {
		a.warm.Kick() // what this costs is read while nobody talks
	}
	return out, nil
}

// keep stores what a change sets with its conversation.
func (ch Change) keep(s *session.Session) error {
	for _, one := range []struct{ key, value string }{
		{keyModel, ch.Model}, {prompt.KeyThink, ch.Think}, {keyReasoning, ch.Reasoning},
	} {
		if one.value == "" {
			continue
		}
		if one.value == byDefault {
			one.value = ""
		}
		if err := s.Keep(one.key, one.value); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a change that no model could take.
func (ch Change) check() *event.Problem {
	for _, one := range []struct {
		what, value string
		words       []string
	}{
		{"think", ch.Think, thinkLevels}, {"reasoning", ch.Reasoning, showLevels},
	} {
		if one.value != "" && one.value != byDefault && !slices.Contains(one.words, one.value) {
			return &event.Problem{
				Code: "usage", Message: fmt.Sprintf("%s can't be %q", one.what, text.Head(one.value, 40)),
				Hint: "it is one of " + strings.Join(one.words, ", ") + ", or default",
			}
		}
	}
	if !session.ValidID(ch.Session) {
		return Ask{Text: "x", Session: ch.Session}.Check(1)
	}
	return nil
}

// thinkNote says what a level means for the model, where that is not plain.
func thinkNote(c prompt.Chosen) []string {
	name, asked := c.Info.Name, c.Think()
	switch {
	case asked == "" && c.Level == off:
		return nil
	case asked == "":
		return []string{name + " has no thinking of its own: it is asked to think between tags, which costs tokens in every answer"}
	case c.Info.ThinksInLevels() && c.Level == off:
		return []string{name + " always thinks: off counts as low"}
	case c.Level != off && !c.Info.ThinksInLevels():
		return []string{name + " knows on and off only: " + c.Level + " counts as on"}
	}
	return nil
}

// tagged reports whether answers may hold the tags of the Reasoning format.
func (t *turn) tagged() bool {
	return !t.c.Info.Can("thinking") && (t.c.Level != off || t.prefix.Think != "" && t.prefix.Think != off)
}
