package runtime

import (
	"context"
	"errors"
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

// Settings are what holds for a conversation from its next turn on.
type Settings struct {
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
func (a *Agent) Adjust(ctx context.Context, ch Change) (Settings, error) {
	ch.Session = a.own(ch.Session)
	if p := ch.check(); p != nil {
		return Settings{}, p
	}
	s, err := a.session(ch.Session)
	if err != nil {
		return Settings{}, err
	}
	look, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	if ch.Model != "" && ch.Model != byDefault {
		if ch.Model, err = a.usable(look, ch.Model); err != nil {
			return Settings{}, err
		}
	}
	before, level := a.wanted(s), a.level(s)
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
			return Settings{}, err
		}
	}
	out := Settings{Session: ch.Session, Model: a.wanted(s), Think: a.level(s), Reasoning: a.shows(s), Notes: []string{}}
	c, err := a.choose(look, s)
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

// usable is the real name of a model that a conversation may go on with: the
// server has it, and runs it itself.
func (a *Agent) usable(ctx context.Context, name string) (string, error) {
	info, err := a.cfg.Catalog.Show(ctx, a.real(name))
	if err == nil {
		err = model.Answers(info)
	}
	if err != nil {
		return "", err
	}
	if info.Remote != "" {
		return "", &event.Problem{
			Code:    "remote_model",
			Message: fmt.Sprintf("%s runs on %s, and a conversation stays on this device", info.Name, info.Remote),
			Hint:    "choose a local one: agent model list",
		}
	}
	return info.Name, nil
}

// real is the model behind an alias, or the name itself.
func (a *Agent) real(name string) string {
	for _, one := range a.cfg.Aliases {
		if one.Name == name {
			return one.Model
		}
	}
	return name
}

// wanted is the model that a conversation shall have by name; empty: the best one.
// Without a conversation it is the agent's.
func (a *Agent) wanted(s *session.Session) string {
	if s != nil {
		if own := s.Kept(keyModel); own != "" {
			return own
		}
	}
	return a.real(a.cfg.ModelName)
}

// level is how much the model of a conversation thinks.
func (a *Agent) level(s *session.Session) string { return kept(s, prompt.KeyThink, a.cfg.Think) }

// shows is what a person sees of the thinking.
func (a *Agent) shows(s *session.Session) string { return kept(s, keyReasoning, a.cfg.Reasoning) }

// kept is a setting of a conversation, else the agent's, else off.
func kept(s *session.Session, key, usual string) string {
	if s != nil {
		if own := s.Kept(key); own != "" {
			return own
		}
	}
	if usual == "" {
		return off
	}
	return usual
}

// thinkNote says what a level means for the model, where that is not plain.
func thinkNote(c prompt.Choice) []string {
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

// missing adds to a failure that the conversation itself asked for the model.
func (a *Agent) missing(s *session.Session, err error) error {
	var m *model.Error
	if s == nil || s.Kept(keyModel) == "" || !errors.As(err, &m) || m.Code != model.ModelMissing {
		return err
	}
	out := *m
	out.Hint = "/model default lets this conversation go on with the agent's own model; " + m.Hint
	return &out
}
