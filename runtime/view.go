package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
)

// ViewQuery asks to see a prompt.
type ViewQuery struct {
	// Agent is whose prompt; empty means that of Session, else the agent main.
	Agent string `json:"agent,omitempty"`
	// Session shows the prompt that this session froze; empty shows what a new
	// session would get now.
	Session string `json:"session,omitempty"`
	Mode    string `json:"mode,omitempty"` // full (default), minimal, none
	Run     string `json:"run,omitempty"`  // chat (default), cron, heartbeat, wake, announce
	// Rendered asks for the model server's own rendering too.
	Rendered bool `json:"rendered,omitempty"`
}

// View is a prompt, byte for byte as it is sent.
type View struct {
	System string          `json:"system"`
	Tools  json.RawMessage `json:"tools"` // the tool array on the wire
	// Format is the schema that answers are held to, of a model that takes no tool
	// array; its tools stand at the end of System.
	Format      json.RawMessage `json:"format,omitempty"`
	TurnContext string          `json:"turn_context"`
	Report      assembly.Report `json:"report"`
	Session     string          `json:"session,omitempty"`
	Model       string          `json:"model"`
	Window      int             `json:"window"`  // tokens
	Reserve     int             `json:"reserve"` // tokens kept for the reply
	History     Size            `json:"history"`
	// ToolArray is that of Tools, or of the tools in System where Format is set.
	ToolArray Size `json:"tool_array"`
	// Stale are the workspace files that are newer than the prompt of Session.
	Stale []assembly.Changed `json:"changed_files,omitempty"`
	// Reuse is the last turn's usage in this process, nil when there was none.
	Reuse *event.Usage `json:"last_turn,omitempty"`
	// Rendered is the server's own rendering, when it was asked for.
	Rendered *Rendered      `json:"rendered,omitempty"`
	Notices  []event.Notice `json:"notices"`
}

// Size is a size in bytes, with an estimate of its tokens.
type Size struct {
	Bytes  int `json:"bytes"`
	Tokens int `json:"estimated_tokens"`
}

// modes and runs are the words of ViewQuery.
var (
	modes = map[string]assembly.Mode{"": assembly.Full, "full": assembly.Full, "minimal": assembly.Minimal, "none": assembly.None}
	runs  = map[string]assembly.Run{
		"": assembly.Chat, "chat": assembly.Chat, "cron": assembly.Cron, "heartbeat": assembly.Heartbeat,
		"wake": assembly.Wake, "announce": assembly.Announce,
	}
)

// lookWait bounds the wait for a model server when a prompt is only looked at.
const lookWait = 3 * time.Second

// View renders a prompt without sending it. It needs no model server: where none
// answers, the prompt is shown for the configured name and a notice says so.
func (a *Agent) View(ctx context.Context, q ViewQuery) (View, error) {
	mode, okMode := modes[q.Mode]
	run, okRun := runs[q.Run]
	if !okMode {
		return View{}, event.Errorf("usage", "mode is full, minimal or none", "there is no mode %q", q.Mode)
	}
	if !okRun {
		return View{}, event.Errorf("usage", "run is chat, cron, heartbeat, wake or announce", "there is no kind of run %q", q.Run)
	}
	look, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	v := View{Notices: []event.Notice{}}
	var of *session.Session
	if q.Session != "" {
		var err error
		if of, err = a.sessions.get(q.Session); err != nil {
			return View{}, err
		}
	}
	c, notices := a.models.lookedAt(look, of)
	v.Notices = append(v.Notices, notices...)
	f := prompt.Form{Mode: mode}
	if mode == assembly.Minimal {
		f = a.prompts.ForSub()
	}
	who := a.prompts.About(a.sessions.own(q.Session), string(run))
	p, ts, err := a.prompts.Look(ctx, c, f, who, q.Session != "")
	if err != nil {
		return View{}, err
	}
	v.System, v.TurnContext, v.Report = p.System, p.TurnContext, p.Report
	v.Model, v.Window, v.Reserve = c.Info.Name, c.NumCtx, c.Reserve(a.now().Limits.NumPredict)
	if q.Session != "" {
		if ts, err = a.frozenView(q.Session, c, &v); err != nil {
			return View{}, err
		}
	}
	if err = a.onWire(ctx, c, ts, q.Rendered, &v); err != nil {
		return View{}, err
	}
	v.Reuse = a.last.Load()
	return v, nil
}

// onWire puts in what a request carries: of a model that takes no tool array, the
// tools are in the system text.
func (a *Agent) onWire(ctx context.Context, c prompt.Chosen, ts []message.Offer, rendered bool, v *View) error {
	q := a.prompts.Request(c, v.System, ts, nil)
	q.Model, q.NumCtx = v.Model, v.Window
	sent, format, err := model.Wrap(q)
	if err != nil {
		return err
	}
	if v.Tools, err = model.ToolArray(sent.Tools); err != nil {
		return fmt.Errorf("encode the tool array: %w", err)
	}
	v.Format, v.ToolArray = format, sizeFor(a.ledger, len(v.Tools))
	if format != nil {
		v.ToolArray = sizeFor(a.ledger, len(sent.Messages[0].Text)-len(v.System))
		v.System = sent.Messages[0].Text
	}
	if rendered {
		v.Rendered = a.rendered(ctx, *v, q)
	}
	return nil
}

// frozenView puts the frozen prefix of a session in place of today's.
func (a *Agent) frozenView(id string, c prompt.Chosen, v *View) ([]message.Offer, error) {
	s, err := a.sessions.get(id)
	if err != nil {
		return nil, err
	}
	p, ok := s.Frozen()
	if !ok {
		return nil, &event.Problem{
			Code: "no_prompt", Message: fmt.Sprintf("session %s has no prompt yet", id),
			Hint: "leave --session out to see what its first turn would get",
		}
	}
	v.Session, v.System, v.Report, v.Model, v.Window = id, a.cfg.Redactor.Redact(p.System), p.Report, p.Model, p.NumCtx
	v.Stale = prompt.Stale(id, p, a.prompts.Files(prompt.Whole()))
	v.History = sizeFor(a.ledger, bytesOf(c, s.Messages()))
	return p.Offers, nil
}

// sizeFor is a number of bytes with the estimate of its tokens.
func sizeFor(l *model.Ledger, bytes int) Size { return Size{Bytes: bytes, Tokens: l.Tokens(bytes)} }

// Record is the record of a turn, as it was kept: offline, from the store. An
// empty id or "last" means the newest turn.
func (a *Agent) Record(id, turn string) (session.TurnRecord, error) {
	id = a.sessions.own(id)
	s, err := a.sessions.get(id)
	if err != nil {
		return session.TurnRecord{}, err
	}
	if turn == "" || turn == "last" {
		if turn = s.LastTurn(); turn == "" {
			return session.TurnRecord{}, &event.Problem{
				Code: "no_turn", Message: fmt.Sprintf("session %s has no turn on record", id), Hint: "agent sessions list shows the conversations that are stored",
			}
		}
	}
	rec, ok, err := s.Turn(turn)
	switch {
	case err != nil:
		return session.TurnRecord{}, err
	case !ok:
		return session.TurnRecord{}, &event.Problem{
			Code: "no_turn", Message: fmt.Sprintf("session %s has no turn %q on record", id, turn),
			Hint: "turns are named t1, t2, …; \"last\" is the newest",
		}
	}
	return rec, nil
}
