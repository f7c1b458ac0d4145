package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
)

// about is what hooks are told of a session and a kind of run.
func (a *Agent) about(session, run string) hooks.About {
	return hooks.About{Agent: a.cfg.ID, Session: session, Run: run, Workspace: a.cfg.Dir}
}

// about is what hooks are told of this turn.
func (t *turn) about() hooks.About {
	who := t.a.about(t.ask.Session, t.ask.Run)
	who.Turn = t.id
	return who
}

// given are workspace files as the operator's hooks leave them for a prompt. An
// error means that a hook failed: then there is no prompt.
func (a *Agent) given(ctx context.Context, who hooks.About, files []assembly.File) ([]assembly.File, error) {
	files, err := hooks.Files(ctx, a.now().Hooks, who, files)
	return maskFiles(files, a.cfg.Masker), err
}

// appended is what the operator's hooks add to this turn's context. What a hook
// said last and says again is not told again.
func (t *turn) appended(ctx context.Context) ([]assembly.Snippet, error) {
	all, err := hooks.Append(ctx, t.a.now().Hooks, t.about(), t.ask.Text)
	if err != nil {
		return nil, err
	}
	var fresh []assembly.Snippet
	for _, one := range all {
		sum := sha256.Sum256([]byte(one.Text))
		told, err := t.s.Told(one.Source, hex.EncodeToString(sum[:]))
		if err != nil {
			return nil, err
		}
		if !told {
			fresh = append(fresh, one)
		}
	}
	return fresh, nil
}

// warnCut tells the person of what was shortened on its way into the turn context.
func (t *turn) warnCut(parts []assembly.Part) {
	for _, p := range parts {
		if p.Cut {
			t.warn(event.Notice{
				Code:    "turn_cut",
				Message: fmt.Sprintf("%s: %d of %d bytes are sent with this message (%s)", p.Source, p.Used, p.Raw, p.Note),
				Hint:    "have it say less, or raise prompt.bootstrap_max_chars or prompt.bootstrap_window_share" + orOwn,
			})
		}
	}
}
