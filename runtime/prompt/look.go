package prompt

import (
	"context"
	"fmt"

	"hardshell/assembly"
	"hardshell/runtime/hooks"
	"hardshell/runtime/message"
)

// Look makes the prompt that a session would get today, with the turn context of a
// kind of run, for a person to look at: nothing is frozen and nothing counts as told.
// frozen says that the session's own prefix is shown in place of it, so that no hook is
// asked for its files.
func (m *Maker) Look(ctx context.Context, c Chosen, f Form, who hooks.About, frozen bool) (assembly.Prompt, []message.Offer, error) {
	files := m.Files(f)
	var added []assembly.Snippet
	if f.Mode != assembly.None {
		var err error
		if !frozen {
			if files, err = m.given(ctx, who, files); err != nil {
				return assembly.Prompt{}, nil, err
			}
		}
		if added, err = hooks.Append(ctx, m.cfg.Settings().Hooks, who, ""); err != nil {
			return assembly.Prompt{}, nil, err
		}
	}
	in := m.input(c, files, f)
	in.Turn = assembly.Turn{Run: assembly.Run(who.Run), Snippets: added}
	p, err := m.render(in)
	if err != nil {
		return assembly.Prompt{}, nil, fmt.Errorf("assemble the prompt: %w", err)
	}
	return p, offers(p.Tools), nil
}
