package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hardshell/assembly"
	"hardshell/policy"
	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/tools"
)

// speech is one reply on its way to the person: thinking as far as it is shown, then
// text, held back while it may be no answer, without the directives in it. What is
// shown is the same whatever way the stream is cut.
type speech struct {
	t     *turn
	mind  *thought
	hold  *holder
	mouth *mouth
}

// speech begins a reply.
func (t *turn) speech() *speech {
	s := &speech{t: t, mouth: t.mouth(t.text)}
	s.mind = &thought{show: t.show, out: s.emit}
	s.hold = &holder{out: s.mouth.write, quiet: t.quiet(), whole: t.ask.Run == string(assembly.Heartbeat)}
	return s
}

// mouth takes directives out where the model is told of them.
func (t *turn) mouth(out func(string)) *mouth {
	return &mouth{out: out, off: !t.a.now().Knobs.ReplyTags}
}

func (s *speech) emit(c event.Chunk) { s.t.emit(event.Event{Kind: event.ModelChunk, Chunk: &c}) }

// chunk takes the next piece of the stream.
func (s *speech) chunk(c model.Chunk) {
	if c.Phase != "" {
		s.emit(event.Chunk{Phase: c.Phase})
	}
	s.mind.write(c.Thinking)
	if c.Text != "" {
		s.mind.end()
		s.hold.write(c.Text)
	}
}

// end lets out what was held, unless the reply was a call or silence.
func (s *speech) end(r read) {
	s.mind.end()
	said, silent := s.t.spoken(r.msg.Text)
	switch {
	case len(r.calls) > 0 || len(r.unknown) > 0 || silent:
		s.hold.drop()
	case s.hold.whole:
		s.hold.drop()
		s.mouth.write(said)
	default:
		s.hold.release()
	}
	s.mouth.end()
	s.t.files = append(s.t.files, s.mouth.files...)
}

// broken lets out what a stream gave that broke off.
func (s *speech) broken() {
	s.mind.end()
	s.hold.release()
	s.mouth.end()
}

// said is an answer without its directives.
func (t *turn) said(text string) string {
	var b strings.Builder
	m := t.mouth(func(s string) { b.WriteString(s) })
	m.write(text)
	m.end()
	return b.String()
}

// judge says what policy would decide of a call. Tools that has it lets answers
// attach files; *tools.Registry does.
type judge interface {
	Judge(ctx context.Context, from tools.Origin, name string, args json.RawMessage) policy.Decision
}

// folder says whether a path is a file of the workspace. A Workspace that has it
// lets answers attach files; workspace.Folder does.
type folder interface{ Holds(path string) bool }

// attach gives the files that the answers of this turn name and that the model may
// read. Nothing is opened: whoever delivers one has to ask for it again. The person
// is told of each that is left out.
func (t *turn) attach(ctx context.Context) []string {
	var out []string
	j, judges := t.a.cfg.Tools.(judge)
	w, holds := t.a.cfg.Files.(folder)
	for _, path := range t.files {
		if slices.Contains(out, path) {
			continue
		}
		why := ""
		switch d := (policy.Decision{}); {
		case !judges || !holds:
			why = "nothing here can judge it"
		case len(out) == mostFiles:
			why = fmt.Sprintf("an answer attaches %d files at most", mostFiles)
		default:
			// The file of the workspace, whatever "docs:x" means to the read tool.
			args, _ := json.Marshal(map[string]string{"path": "./" + path}) // a map of strings always marshals
			if d = j.Judge(ctx, t.origin(), "read", args); d.Verdict != policy.Allow {
				why = cmp.Or(d.Reason, "policy does not allow it")
			} else if !w.Holds(path) {
				why = "there is no such file in the workspace"
			}
		}
		if why != "" {
			t.warn(event.Notice{
				Code: "not_attached", Message: fmt.Sprintf("%s is not attached: %s", tools.Head(path, 200), why),
				Hint: "ask for a file of the workspace that the read tool may read",
			})
			continue
		}
		out = append(out, path)
	}
	return out
}
