package prompt

import (
	"context"
	"fmt"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/session"
)

// Prefix gives the session's frozen prefix. It freezes today's when the session is
// new, when it talks to another model or board than before, and, starting the
// conversation anew, when it works in another folder. The warnings are what a
// person should know about it.
func (m *Maker) Prefix(ctx context.Context, s *session.Session, c Chosen, f Form, who hooks.About) (session.Prefix, []event.Notice, error) {
	frozen, ok := s.Frozen()
	var notices []event.Notice
	switch {
	case !ok:
		notices = c.introduced()
	case frozen.Dir != "" && frozen.Dir != m.cfg.Dir:
		if err := s.Reset(); err != nil {
			return session.Prefix{}, nil, err
		}
		notices = append(notices, event.Notice{
			Code:    "workspace_changed",
			Message: fmt.Sprintf("this conversation was about %s and the workspace is %s now, so it begins anew; the old one stays on record", frozen.Dir, m.cfg.Dir),
			Hint:    "give each workspace a --state of its own to keep both conversations going",
		})
	case frozen.Board != m.cfg.Host.Board:
		notices = append(notices, changedPrefix("board_changed", "on "+frozen.Board, "on "+m.cfg.Host.Board))
	case frozen.Model != c.Info.Name || frozen.NumCtx != c.NumCtx:
		is := fmt.Sprintf("with %s and %d", c.Info.Name, c.NumCtx)
		if c.Changed != "" {
			is += " (" + c.Changed + ")"
		}
		notices = append(notices, changedPrefix("model_changed", fmt.Sprintf("with %s and a window of %d tokens", frozen.Model, frozen.NumCtx), is))
	default:
		return frozen, nil, nil
	}
	fresh, cuts, err := m.Fresh(ctx, c, f, who)
	if err != nil {
		return session.Prefix{}, nil, err
	}
	return fresh, append(notices, cuts...), s.Freeze(fresh)
}

// changedPrefix tells that a conversation goes on under another prompt.
func changedPrefix(code, was, is string) event.Notice {
	return event.Notice{
		Code: code, Message: fmt.Sprintf("this session began %s; it goes on %s, so the model reads everything anew once", was, is),
	}
}

// orOwn ends a hint that names prompt keys: what an agent sets itself wins over them.
const orOwn = ", or the same key below its [[agent]] where it has one"

// Fresh is today's prompt as a prefix to freeze. The hashes that it keeps are those
// of the folder's files, whatever hooks put in their place.
func (m *Maker) Fresh(ctx context.Context, c Chosen, f Form, who hooks.About) (session.Prefix, []event.Notice, error) {
	files := m.Files(f)
	given, err := m.given(ctx, who, files)
	if err != nil {
		return session.Prefix{}, nil, err
	}
	p, err := m.render(m.input(c, given, f))
	if err != nil {
		return session.Prefix{}, nil, fmt.Errorf("assemble the prompt: %w", err)
	}
	fresh := session.Prefix{
		System: p.System, Offers: offers(p.Tools), Files: frozenFiles(files),
		Model: c.Info.Name, NumCtx: c.NumCtx, Created: m.cfg.Now(), Report: p.Report,
		Dir: m.cfg.Dir, Board: m.cfg.Host.Board, Think: c.Level,
	}
	var notices []event.Notice
	for _, part := range p.Report.Parts {
		n := event.Notice{
			Code:    "prompt_cut",
			Message: fmt.Sprintf("%s: %d of %d bytes are in the prompt (%s)", part.Source, part.Used, part.Raw, part.Note),
			Hint:    "shorten the file, or raise prompt.bootstrap_max_chars, prompt.bootstrap_total_max_chars or prompt.bootstrap_window_share" + orOwn,
		}
		if part.Source == "" { // the list of skills
			n.Message, n.Hint = "the list of skills is shortened: "+part.Note, "shorten their descriptions, name fewer skills for the agent, or raise prompt.max_skills_prompt_chars"+orOwn
		}
		if part.Cut {
			notices = append(notices, n)
		}
	}
	return fresh, notices, nil
}

// shortened names the workspace files that a prompt does not carry whole.
func shortened(r assembly.Report) []string {
	var out []string
	for _, p := range r.Parts {
		if p.Name == "file" && p.Cut {
			out = append(out, p.Source)
		}
	}
	return out
}
