package assembly

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Render makes the prompt. It is pure: everything it may say is in the Input.
// It fails on an Input that cannot be rendered whole, never by leaving something
// out.
func Render(in Input) (Prompt, error) {
	if err := in.check(); err != nil {
		return Prompt{}, err
	}
	v := newView(&in, in.Mode != None)
	if in.Mode == None {
		// The second guard beside the sections' own: nothing but this line.
		one := piece{name: "identity", text: v.fill("identity")}
		return Prompt{System: one.text, Report: Report{Parts: []Part{one.part(&in, true)}}}, nil
	}
	system := join(sectionPieces(v))
	p := Prompt{System: text(system), Tools: v.tools}
	for _, s := range system {
		p.Report.Parts = append(p.Report.Parts, s.part(&in, true))
	}
	for _, t := range v.tools {
		p.Report.Parts = append(p.Report.Parts, toolPart(&in, t))
	}
	turn := turnPieces(v)
	p.TurnContext = text(turn)
	for _, s := range turn {
		p.Report.Parts = append(p.Report.Parts, s.part(&in, false))
	}
	return p, nil
}

// RenderTurn makes the turn context alone, for a session whose prefix is frozen.
// It is what Render gives as TurnContext, with its parts.
func RenderTurn(in Input) (string, []Part, error) {
	if err := in.check(); err != nil {
		return "", nil, err
	}
	if in.Mode == None {
		return "", nil, nil
	}
	var parts []Part
	turn := turnPieces(newView(&in, false))
	for _, s := range turn {
		parts = append(parts, s.part(&in, false))
	}
	return text(turn), parts, nil
}

// Attach puts the turn context at the tail of a user message. What it gives is
// what is stored and sent.
func Attach(message, turnContext string) string {
	switch {
	case turnContext == "":
		return message
	case message == "":
		return turnContext
	}
	return message + "\n\n" + turnContext
}

// view is an Input with what the sections look up in it.
type view struct {
	in      *Input
	tools   []Tool // in the order of the tool array
	overlay Overlay
	files   []piece // the project context
	skills  piece
	values  *strings.Replacer
	flags   []string
}

// newView prepares an Input that was checked; system says whether the workspace
// files and the skills are wanted.
func newView(in *Input, system bool) *view {
	v := &view{in: in}
	v.tools = slices.Clone(in.Tools)
	slices.SortStableFunc(v.tools, func(a, b Tool) int { return compareTools(a.Name, b.Name) })
	v.overlay = overlayFor(in.Model.Name, in.Model.Family)
	if in.Overlay != nil {
		v.overlay = *in.Overlay
	}
	if system {
		v.files = projectContext(in)
		v.skills = skillList(in.Skills, in.Limits.Skills)
	}
	v.flags = v.allFlags()
	v.values = v.allValues()
	return v
}

// flag reports whether a fragment's flag is on.
func (v *view) flag(name string) bool { return slices.Contains(v.flags, name) }

// fill renders a fragment with the view's flags and values.
func (v *view) fill(fragment string) string { return fill(fragment, v.flag, v.values) }

// offers reports whether a tool is in the array.
func (in *Input) offers(tool string) bool {
	return slices.ContainsFunc(in.Tools, func(t Tool) bool { return t.Name == tool })
}

// sectionPieces renders every section whose guards let it through.
func sectionPieces(v *view) []piece {
	var out []piece
	for _, s := range sections {
		if !s.modes.has(v.in.Mode) || !s.gate(v) {
			continue
		}
		out = append(out, s.render(v)...)
	}
	return out
}

// wire is a tool as the chat API carries it.
type wire struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// toolJSON gives a tool as compact JSON in the form of the chat API: what the
// sizes of the Report and the budgets count.
func toolJSON(t Tool) ([]byte, error) {
	w := wire{Type: "function"}
	w.Function.Name, w.Function.Description, w.Function.Parameters = t.Name, t.Description, t.Schema
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(w); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
