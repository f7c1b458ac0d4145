package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"hardshell/cmd/agent/app"
	"hardshell/runtime/config"
	"hardshell/runtime/doctor"
	"hardshell/runtime/gateway"
	"hardshell/runtime/model"
	"hardshell/runtime/model/template"
	"hardshell/runtime/store"
	"hardshell/runtime/workspace"
)

// serverWait bounds what doctor waits for the model server.
const serverWait = 30 * time.Second

// trouble is an error with its hint.
func trouble(err error) *doctor.Trouble {
	if err == nil {
		return nil
	}
	p, _ := judge(err)
	return &doctor.Trouble{What: p.Message, Action: p.Hint}
}

// gatherFacts gathers what doctor looks at. What can't be looked at is itself a fact.
func gatherFacts(ctx context.Context, inv *invocation, server bool) doctor.Facts {
	var f doctor.Facts
	cfg, err := inv.load()
	if err != nil {
		f.Config = trouble(err)
		return f
	}
	for _, n := range app.Warnings(cfg) {
		f.Warnings = append(f.Warnings, doctor.Trouble{What: n.Message, Action: n.Hint})
	}
	pol, none, err := app.LoadPolicy(cfg)
	switch f.Policy = trouble(err); {
	case err != nil:
	case none != nil:
		f.NoPolicy = cfg.Policy
	default:
		for _, r := range pol.Waivers() {
			f.Waivers = append(f.Waivers, doctor.Named{Name: r.ID, Why: r.Waived})
		}
	}
	f.ReadOnly = trouble(workspace.Writable(cfg.Workspace))
	folder, err := workspace.Open(cfg.Workspace)
	if f.Workspace = trouble(err); err == nil {
		if pol != nil {
			_, err := app.Check(cfg, pol)
			f.Workspace = trouble(err)
		}
		f.Files = filesOf(folder, cfg.Prompt.FileChars)
		if box, err := app.NewBox(cfg, nil); err == nil {
			r := box.Probe(ctx)
			f.Sandbox = doctor.Sandbox{Missing: r.Missing, Mend: r.Mend, Weaker: r.Weaker, Unheld: r.Unheld()}
			if pol != nil {
				f.Hooks = refusedHooks(ctx, inv, cfg, pol, r.Complete())
			}
		} else {
			f.Sandbox.Missing = err.Error()
		}
	}
	if found, err := skillsHere(inv, ""); err == nil {
		for _, s := range found {
			if s.Fault {
				f.Skills = append(f.Skills, doctor.Named{Name: s.Name, Why: s.Off})
			}
		}
	}
	f.State = stateOf(cfg.State)
	auditFacts(ctx, inv, cfg, &f)
	if server {
		f.Server = serverOf(ctx, cfg)
	}
	return f
}

// filesOf measures the files of the prompt.
func filesOf(folder workspace.Folder, limit int) []doctor.File {
	var out []doctor.File
	for _, w := range folder.Files() {
		if !w.Missing {
			out = append(out, doctor.File{Name: w.Name, Size: utf8.RuneCount(w.Data), Limit: limit, Problem: w.Problem})
		}
	}
	return out
}

// stateOf looks at the state folder from outside.
func stateOf(dir string) doctor.State {
	s := doctor.State{Dir: dir}
	info, err := os.Stat(dir)
	var disk syscall.Statfs_t
	if err != nil || syscall.Statfs(dir, &disk) != nil {
		return s
	}
	s.There, s.Mode, s.Free = true, info.Mode(), disk.Bavail*uint64(disk.Bsize)
	s.Locked = trouble(store.Writable(dir))
	for _, where := range []string{"", "audit"} {
		entries, err := os.ReadDir(filepath.Join(dir, where))
		if err != nil {
			continue // no audit yet
		}
		for _, e := range entries {
			if strings.Contains(e.Name(), ".damaged-") || strings.Contains(e.Name(), ".aside-") {
				s.Aside = append(s.Aside, filepath.Join(where, e.Name()))
			}
		}
	}
	return s
}

// auditFacts has the audit checked: by the agent that runs, else by a look, since
// opening a store mends it.
func auditFacts(ctx context.Context, inv *invocation, cfg config.Config, f *doctor.Facts) {
	client := gateway.NewClient(gateway.Dial(app.Socket(cfg)))
	defer client.Close()
	var rep store.AuditReport
	st, err := gateway.Status.Ask(ctx, client, "")
	other := app.OtherOwnerOf(cfg.State)
	if other != nil { // what its agent may write is not seen from here
		f.ReadOnly, f.State.Locked = nil, nil
	}
	switch {
	case err == nil:
		for _, n := range st.Notices {
			f.Notices = append(f.Notices, doctor.Trouble{What: n.Message, Action: n.Hint})
		}
		rep, err = gateway.AuditVerify.Ask(ctx, client, gateway.All{})
	case gateway.Unresponsive(err):
		f.Notices = append(f.Notices, *trouble(err))
		return
	case other != nil:
		f.Notices = append(f.Notices, *trouble(other.Unreached(app.Socket(cfg))))
		return
	case f.State.There:
		rep, err = lookAtStore(cfg.State, f)
	default:
		return
	}
	switch {
	case err != nil:
		f.Audit = doctor.Audit{Unread: trouble(err)}
	case !rep.OK():
		f.Audit = doctor.Audit{Problems: rep.Count, First: rep.Problems[0].What}
	}
}

// lookAtStore checks a store that nobody holds, and changes nothing.
func lookAtStore(state string, f *doctor.Facts) (rep store.AuditReport, err error) {
	st, err := store.Look(state, store.Options{})
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	for _, n := range st.Notices() {
		f.Notices = append(f.Notices, doctor.Trouble{What: n.Message, Action: n.Hint})
	}
	return st.Audit.Verify()
}

// serverOf asks the model server for the model, and for the template's manners.
func serverOf(ctx context.Context, cfg config.Config) doctor.Server {
	ctx, cancel := context.WithTimeout(ctx, serverWait)
	defer cancel()
	client, err := app.NewModel(cfg)
	if err != nil {
		return doctor.Server{Down: trouble(err)}
	}
	s := doctor.Server{Model: cfg.ModelOf(cfg.Model.Name)}
	chosen, err := app.Chooser(cfg, client).Choose(ctx, s.Model)
	var wrong *model.Error
	switch {
	case err == nil:
	case !errors.As(err, &wrong):
		return doctor.Server{Down: trouble(err)}
	case wrong.Code == model.ModelMissing && s.Model != "":
		s.Missing = true
		return s
	case wrong.Code == model.ModelMissing, wrong.Code == model.OutOfMemory, wrong.Code == model.NoChat:
		s.Unfit = trouble(err)
		return s
	default:
		return doctor.Server{Down: trouble(err)}
	}
	info := chosen.Info
	s.Model, s.NoTools = info.Name, info.Enveloped()
	rep, err := template.Check(ctx, client, template.Like(info, windowOf(ctx, client, chosen), cfg.Model.Think))
	if err != nil {
		return s // a server that can't render says so in agent model check
	}
	s.Template, s.Lost = true, lostBytes(rep)
	for _, step := range rep.Steps {
		if step.Lost > 0 {
			s.Step = step.What
			break
		}
	}
	return s
}
