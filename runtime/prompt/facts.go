package prompt

import (
	"context"
	"fmt"

	"hardshell/assembly"
)

// KeyThink is the key under which a session keeps its level of thinking, and that of
// the fact by which the model knows it.
const KeyThink = "think"

// facts are what has changed of this conversation's runtime since the model was
// last told: another model than the prompt before had, another level than the
// prompt or the last fact names, a board or sandbox that changed.
func (m *Maker) facts(ctx context.Context, o Opening) (out []string, tags assembly.Tags, err error) {
	if out, err = m.boardFacts(ctx, o.Session); err != nil {
		return nil, tags, err
	}
	if o.Fact != "" {
		out = append(out, o.Fact)
	}
	box, err := m.sandboxFact(o.Session)
	if err != nil {
		return nil, tags, err
	}
	if box != "" {
		out = append(out, box)
	}
	if o.HadModel != "" && o.HadModel != o.Choice.Info.Name {
		out = append(out, fmt.Sprintf("model: %s, until now %s", o.Choice.Info.Name, o.HadModel))
	}
	last, ok := o.Session.LastDelivered(KeyThink)
	if !ok {
		if last = o.Prefix.Think; last == "" {
			last = Off
		}
	}
	level := o.Choice.Level
	if last == level {
		return out, tags, nil
	}
	if _, err := o.Session.Delivered(KeyThink, level); err != nil {
		return nil, tags, err
	}
	switch {
	case o.Choice.Info.Can("thinking"):
	case level == Off:
		tags = assembly.TagsEnded
	case last == Off:
		tags = assembly.TagsAsked
	}
	return append(out, fmt.Sprintf("thinking: %s, until now %s", level, last)), tags, nil
}
