package runtime

import (
	"context"
	"errors"
	"sync"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
)

// models are the model, the thinking and what is shown of it, by conversation: its own
// setting, else the agent's. It knows which models were chosen.
type models struct {
	chooser   model.Chooser
	aliases   []assembly.Alias
	name      string // configured model; empty: the best one that the server has
	think     string // configured level of thinking
	reasoning string // configured level of what is shown of it

	mu     sync.Mutex
	chosen map[string]prompt.Chosen // by the name that was asked for, once known
}

// newModels takes the settings of an agent.
func newModels(c Config) *models {
	return &models{
		chooser: model.Chooser{Server: c.Server, Catalog: c.Catalog, Memory: c.Memory, NumCtx: c.NumCtx, Kept: c.Choices},
		aliases: c.Aliases, name: c.ModelName, think: c.Think, reasoning: c.Reasoning, chosen: map[string]prompt.Chosen{},
	}
}

// choose finds the model of a conversation (nil: of the agent): its own, the
// configured one, or the best that the server has. A failure is not kept, so that a
// server that comes up later is found by the next turn.
func (ms *models) choose(ctx context.Context, s *session.Session) (prompt.Chosen, error) {
	want := ms.wanted(s)
	c, known := ms.known(want)
	if !known {
		found, err := ms.chooser.Choose(ctx, want)
		if err != nil {
			return prompt.Chosen{}, missing(s, err)
		}
		c.Choice = found
		ms.mu.Lock()
		ms.chosen[want] = c
		ms.mu.Unlock()
	}
	c.Level = ms.level(s)
	return c, nil
}

// known is the model that was chosen for a name, if one was.
func (ms *models) known(name string) (prompt.Chosen, bool) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	c, ok := ms.chosen[name]
	return c, ok
}

// lookedAt is the model that a prompt is shown for: where no server answers, the
// configured name with its last window, and a notice.
func (ms *models) lookedAt(ctx context.Context, s *session.Session) (prompt.Chosen, []event.Notice) {
	c, err := ms.choose(ctx, s)
	if err == nil {
		return c, nil
	}
	c = prompt.Chosen{Level: ms.level(s)}
	c.Info.Name, c.NumCtx = ms.wanted(s), ms.chooser.Last(ms.wanted(s))
	return c, []event.Notice{{
		Code: "no_model", Message: "shown without a model: " + err.Error(),
		Hint: "the runtime line and the window share may differ once the model is there",
	}}
}

// usable is the real name of a model that a conversation may go on with: the
// server has it, and runs it itself.
func (ms *models) usable(ctx context.Context, name string) (string, error) {
	info, err := ms.chooser.Catalog.Show(ctx, ms.real(name))
	if err == nil {
		err = model.Answers(info)
	}
	if err != nil {
		return "", err
	}
	if info.Remote != "" {
		return "", &event.Problem{
			Code:    "remote_model",
			Message: info.Name + " runs on " + info.Remote + ", and a conversation stays on this device",
			Hint:    "choose a local one: agent model list",
		}
	}
	return info.Name, nil
}

// real is the model behind an alias, or the name itself.
func (ms *models) real(name string) string {
	for _, one := range ms.aliases {
		if one.Name == name {
			return one.Model
		}
	}
	return name
}

// wanted is the model that a conversation shall have by name; empty: the best one.
// Without a conversation it is the agent's.
func (ms *models) wanted(s *session.Session) string {
	if s != nil {
		if own := s.Kept(keyModel); own != "" {
			return own
		}
	}
	return ms.real(ms.name)
}

// level is how much the model of a conversation thinks.
func (ms *models) level(s *session.Session) string { return kept(s, prompt.KeyThink, ms.think) }

// shows is what a person sees of the thinking.
func (ms *models) shows(s *session.Session) string { return kept(s, keyReasoning, ms.reasoning) }

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

// missing adds to a failure that the conversation itself asked for the model.
func missing(s *session.Session, err error) error {
	var m *model.Error
	if s == nil || s.Kept(keyModel) == "" || !errors.As(err, &m) || m.Code != model.ModelMissing {
		return err
	}
	out := *m
	out.Hint = "/model default lets this conversation go on with the agent's own model; " + m.Hint
	return &out
}
