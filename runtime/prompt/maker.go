package prompt

import (
	"context"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/hooks"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/tools"
	"hardshell/tools/secret"
)

// Config is what an agent's prompts are made of.
type Config struct {
	ID       string // agent id
	Host     assembly.Host
	Dir      string   // workspace folder
	Writable []string // folders that may be written
	Repo     string   // root of the repository that Dir lies in; empty when none
	Zone     *time.Location
	Aliases  []assembly.Alias
	Confined *assembly.Confined
	Commands []string // the operator commands that exist
	Docs     string   // where the read tool finds the manual; empty when nowhere
	// Files gives every workspace file of the prompt, missing ones marked.
	Files func() []assembly.File
	// Specs are the tools that policy offers now.
	Specs func() []tools.Spec
	// Running are the commands in the background; nil where there are none.
	Running Background
	// Health looks at the board, at once or nearly so; nil where there is none.
	Health func(context.Context) Health
	// HeatLimit is the soft limit of the board's temperatures, in degrees Celsius;
	// 0: none.
	HeatLimit int
	Redactor  *secret.Redactor
	// Settings are what may change between turns.
	Settings func() Settings
	Now      func() time.Time
}

// Settings are what may change of an agent's prompts between turns.
type Settings struct {
	Budget  assembly.Budget
	Knobs   assembly.Knobs
	Overlay *assembly.Overlay // in place of the one of the model's family
	Hooks   []hooks.Hook
	Skills  func() []assembly.Skill // nil: none
	Temp    *float64                // sampling temperature; nil leaves it to the model
}

// Maker makes the prompts of one agent. It keeps nothing between two calls.
type Maker struct{ cfg Config }

// New makes a Maker.
func New(cfg Config) *Maker { return &Maker{cfg} }

// input is what the system text and the tool array are made of today.
func (m *Maker) input(c Chosen, files []assembly.File, f Form) assembly.Input {
	now := m.cfg.Settings()
	in := assembly.Input{
		Mode: f.Mode, Agent: assembly.Identity{ID: m.cfg.ID}, Host: m.cfg.Host,
		Workspace: assembly.WorkFolder{Dir: m.cfg.Dir, Writable: m.cfg.Writable, Repo: m.cfg.Repo},
		Files:     files, Limits: now.Budget, Confined: m.cfg.Confined,
		Commands: m.cfg.Commands, Docs: m.cfg.Docs, Knobs: now.Knobs, Aliases: m.cfg.Aliases, Overlay: now.Overlay,
		Model: assembly.ModelFacts{
			Name: c.Info.Name, Family: c.Info.Family, Window: c.NumCtx,
			NativeThinking: c.Info.Can("thinking"),
		},
	}
	in.Limits.Window = c.NumCtx
	in.Knobs.ReasoningTags = c.Level != Off
	if in.Model.NativeThinking || in.Knobs.ReasoningTags {
		in.Model.Thinking = c.Level
	}
	if now.Skills != nil {
		in.Skills = m.skills(now.Skills())
	}
	if m.cfg.Zone != nil {
		in.Zone = m.cfg.Zone.String()
	}
	for _, s := range m.Specs(f) {
		schema := s.Schema
		if carried, err := model.Carried(schema); err == nil { // else the request says what is wrong with it
			schema = carried
		}
		in.Tools = append(in.Tools, assembly.Tool{Name: s.Name, Description: s.Description, Guide: s.Guide, Schema: schema})
	}
	return in
}

// render assembles a prompt without secret values. The files are without them
// already, but for one in another encoding.
func (m *Maker) render(in assembly.Input) (assembly.Prompt, error) {
	p, err := assembly.Render(in)
	p.System, p.TurnContext = m.cfg.Redactor.Redact(p.System), m.cfg.Redactor.Redact(p.TurnContext)
	return p, err
}

// offers turns the tools of a prompt into what the model driver sends.
func offers(ts []assembly.Tool) []message.Offer {
	out := make([]message.Offer, 0, len(ts))
	for _, t := range ts {
		out = append(out, message.Offer{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return out
}
