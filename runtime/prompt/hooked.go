package prompt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
)

// About is what hooks are told of a session and a kind of run.
func (m *Maker) About(session, run string) hooks.About {
	return hooks.About{Agent: m.cfg.ID, Session: session, Run: run, Workspace: m.cfg.Dir}
}

// given are workspace files, without secret values, as the operator's hooks leave them
// for a prompt. An error means that a hook failed: then there is no prompt.
func (m *Maker) given(ctx context.Context, who hooks.About, files []assembly.File) ([]assembly.File, error) {
	files, err := hooks.Files(ctx, m.cfg.Settings().Hooks, who, files)
	for i, f := range files {
		if f.Hook != "" { // a file of the folder is redacted already
			files[i].Data = []byte(m.cfg.Redactor.Redact(string(f.Data)))
		}
	}
	return files, err
}

// appended is what the operator's hooks add to a turn's context. What a hook said last
// and says again is not told again.
func (m *Maker) appended(ctx context.Context, o Opening) ([]assembly.Snippet, error) {
	all, err := hooks.Append(ctx, m.cfg.Settings().Hooks, o.About, o.Text)
	if err != nil {
		return nil, err
	}
	var fresh []assembly.Snippet
	for _, one := range all {
		sum := sha256.Sum256([]byte(one.Text))
		told, err := o.Session.Delivered(one.Source, hex.EncodeToString(sum[:]))
		if err != nil {
			return nil, err
		}
		if !told {
			fresh = append(fresh, one)
		}
	}
	return fresh, nil
}

// cutInTurn tells the person of what was shortened on its way into the turn context.
func cutInTurn(parts []assembly.Part) []event.Notice {
	var out []event.Notice
	for _, p := range parts {
		if p.Cut {
			out = append(out, event.Notice{
				Code:    "turn_cut",
				Message: fmt.Sprintf("%s: %d of %d bytes are sent with this message (%s)", p.Source, p.Used, p.Raw, p.Note),
				Hint:    "have it say less, or raise prompt.bootstrap_max_chars or prompt.bootstrap_window_share" + orOwn,
			})
		}
	}
	return out
}
