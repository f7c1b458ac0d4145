package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/model"
	"hardshell/runtime/session"
	"hardshell/tools"
)

// choose finds the model of a conversation (nil: of the agent): its own, the
// configured one, or the best that the server has. A failure is not kept, so that a
// server that comes up later is found by the next turn.
func (a *Agent) choose(ctx context.Context, s *session.Session) (choice, error) {
	want := a.wanted(s)
	a.mu.Lock()
	c, known := a.chosen[want]
	a.mu.Unlock()
	if !known {
		var err error
		if c, err = a.look(ctx, want); err != nil {
			return choice{}, a.missing(s, err)
		}
		a.mu.Lock()
		a.chosen[want] = c
		a.mu.Unlock()
	}
	c.level = a.level(s)
	return c, nil
}

// look asks the server for a model; empty means the best one.
func (a *Agent) look(ctx context.Context, name string) (choice, error) {
	c, err := a.chooser().Choose(ctx, name)
	return choice{info: c.Info, numCtx: c.NumCtx, why: c.Why, changed: c.Changed}, err
}

// chooser settles on models and windows.
func (a *Agent) chooser() model.Chooser {
	return model.Chooser{Server: a.cfg.Server, Catalog: a.cfg.Catalog, Memory: a.cfg.Memory, NumCtx: a.cfg.NumCtx, Kept: a.cfg.Choices}
}

// introduced is what a person should know of the model at the start of a conversation.
func (c choice) introduced() []event.Notice {
	var out []event.Notice
	if c.why != "" {
		out = append(out, event.Notice{Code: "model_chosen", Message: c.info.Name + ": " + c.why, Hint: "agent model use NAME settles it"})
	}
	if c.changed != "" {
		out = append(out, event.Notice{
			Code: "model_changed", Message: fmt.Sprintf("%s with a window of %d tokens, since %s", c.info.Name, c.numCtx, c.changed),
			Hint: "model.name and model.num_ctx settle it",
		})
	}
	if c.info.Enveloped() {
		out = append(out, event.Notice{Code: "no_tools", Message: c.info.Name + " " + withoutTools, Hint: "agent model list shows models that can call tools"})
	}
	return out
}

// withoutTools says what a model without tool calls is like.
const withoutTools = "has no tool calls of its own: the tools stand in its system text, its answers are held to JSON, and it will do less"

// form is which prompt a session has. It is fixed at the session's start.
type form struct {
	mode assembly.Mode
	// tools are the names of the tools that are offered; nil: all that policy
	// offers.
	tools []string
}

// whole is the form of an agent's own sessions, of every run kind.
var whole = form{mode: assembly.Full}

// offers reports whether a tool belongs in the form.
func (f form) offers(tool string) bool { return f.tools == nil || slices.Contains(f.tools, tool) }

// input is what the system text and the tool array are made of today.
func (a *Agent) input(c choice, files []assembly.File, f form) assembly.Input {
	in := assembly.Input{
		Mode: f.mode, Agent: assembly.Agent{ID: a.cfg.ID}, Host: a.cfg.Host,
		Workspace: assembly.Workspace{Dir: a.cfg.Dir, Writable: a.cfg.Writable, Repo: a.cfg.Repo},
		Files:     files, Limits: a.now().Budget, Confined: a.cfg.Confined,
		Commands: a.cfg.Commands, Docs: a.cfg.Docs, Knobs: a.now().Knobs, Aliases: a.cfg.Aliases, Overlay: a.now().Overlay,
		Model: assembly.Model{
			Name: c.info.Name, Family: c.info.Family, Window: c.numCtx,
			NativeThinking: c.info.Can("thinking"),
		},
	}
	in.Limits.Window = c.numCtx
	in.Knobs.ReasoningTags = c.level != off
	if in.Model.NativeThinking || in.Knobs.ReasoningTags {
		in.Model.Thinking = c.level
	}
	if list := a.now().Skills; list != nil {
		in.Skills = maskSkills(list(), a.cfg.Masker)
	}
	if a.cfg.Zone != nil {
		in.Zone = a.cfg.Zone.String()
	}
	for _, s := range a.specs(f) {
		schema := s.Schema
		if carried, err := model.Carried(schema); err == nil { // else the request says what is wrong with it
			schema = carried
		}
		in.Tools = append(in.Tools, assembly.Tool{Name: s.Name, Description: s.Description, Guide: s.Guide, Schema: schema})
	}
	return in
}

// specs are the tools of a form that policy offers now.
func (a *Agent) specs(f form) []tools.Spec {
	return slices.DeleteFunc(slices.Clone(a.cfg.Tools.Specs()), func(s tools.Spec) bool { return !f.offers(s.Name) })
}

// files are the workspace files that a form's prompt may carry.
func (a *Agent) files(f form) []assembly.File {
	if f.mode == assembly.Minimal {
		return forSub(a.discreetFiles())
	}
	return a.discreetFiles()
}

// forSub are those of the workspace files that sub-agents get.
func forSub(files []assembly.File) []assembly.File {
	return slices.DeleteFunc(slices.Clone(files), func(f assembly.File) bool { return !assembly.ForSub(f.Name) })
}

// prefix gives the session's frozen prefix. It freezes today's when the session is
// new, when it talks to another model or board than before, and, starting the
// conversation anew, when it works in another folder. The warnings are what a
// person should know about it.
func (a *Agent) prefix(ctx context.Context, s *session.Session, c choice, f form, who hooks.About) (session.Prefix, []event.Notice, error) {
	frozen, ok := s.Frozen()
	var notices []event.Notice
	switch {
	case !ok:
		notices = c.introduced()
	case frozen.Dir != "" && frozen.Dir != a.cfg.Dir:
		if err := s.Reset(); err != nil {
			return session.Prefix{}, nil, err
		}
		notices = append(notices, event.Notice{
			Code:    "workspace_changed",
			Message: fmt.Sprintf("this conversation was about %s and the workspace is %s now, so it begins anew; the old one stays on record", frozen.Dir, a.cfg.Dir),
			Hint:    "give each workspace a --state of its own to keep both conversations going",
		})
	case frozen.Board != a.cfg.Host.Board:
		notices = append(notices, changedPrefix("board_changed", "on "+frozen.Board, "on "+a.cfg.Host.Board))
	case frozen.Model != c.info.Name || frozen.NumCtx != c.numCtx:
		is := fmt.Sprintf("with %s and %d", c.info.Name, c.numCtx)
		if c.changed != "" {
			is += " (" + c.changed + ")"
		}
		notices = append(notices, changedPrefix("model_changed", fmt.Sprintf("with %s and a window of %d tokens", frozen.Model, frozen.NumCtx), is))
	default:
		return frozen, nil, nil
	}
	fresh, cuts, err := a.fresh(ctx, c, f, who)
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

// fresh is today's prompt as a prefix to freeze. The hashes that it keeps are those
// of the folder's files, whatever hooks put in their place.
func (a *Agent) fresh(ctx context.Context, c choice, f form, who hooks.About) (session.Prefix, []event.Notice, error) {
	files := a.files(f)
	given, err := a.given(ctx, who, files)
	if err != nil {
		return session.Prefix{}, nil, err
	}
	p, err := a.render(a.input(c, given, f))
	if err != nil {
		return session.Prefix{}, nil, fmt.Errorf("assemble the prompt: %w", err)
	}
	fresh := session.Prefix{
		System: p.System, Offers: offers(p.Tools), Files: frozenFiles(files),
		Model: c.info.Name, NumCtx: c.numCtx, Created: a.cfg.Now(), Report: p.Report,
		Dir: a.cfg.Dir, Board: a.cfg.Host.Board, Think: c.level,
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

// frozenFiles are the hashes of the files that a prefix carries.
func frozenFiles(files []assembly.File) []session.FrozenFile {
	var out []session.FrozenFile
	for _, f := range files {
		if assembly.IsHeartbeat(f.Name) {
			continue
		}
		out = append(out, session.FrozenFile{Name: f.Name, Hash: fileHash(f)})
	}
	return out
}

// fileHash is the sha-256 of a workspace file in hex, "missing" where there is
// none.
func fileHash(f assembly.File) string {
	switch {
	case f.Missing:
		return "missing"
	case f.Problem != "":
		return "unreadable"
	}
	sum := sha256.Sum256(f.Data)
	return hex.EncodeToString(sum[:])
}

// changed names the files that differ from the frozen ones, in the order of
// today's files, vanished ones last.
func changed(frozen []session.FrozenFile, files []assembly.File) []assembly.Changed {
	was := map[string]string{}
	for _, f := range frozen {
		was[f.Name] = f.Hash
	}
	var out []assembly.Changed
	seen := map[string]bool{}
	for _, f := range frozenFiles(files) {
		seen[f.Name] = true
		before, known := was[f.Name]
		if !known {
			before = "missing"
		}
		if before != f.Hash {
			out = append(out, assembly.Changed{Name: f.Name, Frozen: before, Now: f.Hash})
		}
	}
	for _, f := range frozen {
		if !seen[f.Name] && f.Hash != "missing" {
			out = append(out, assembly.Changed{Name: f.Name, Frozen: f.Hash, Now: "missing"})
		}
	}
	return out
}
