package prompt

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/runtime/hooks"
	"hardshell/runtime/session"
)

// Opening is a turn when its message is made.
type Opening struct {
	Session *session.Session
	About   hooks.About // names the session, the turn and the kind of run
	Text    string      // what the person or the job says, without secret values
	Began   time.Time
	// Spoke is when the session's last turn began, zero when it had none.
	Spoke  time.Time
	Choice Chosen
	Form   Form
	Prefix session.Prefix
	// HadModel is the model that the prompt before this turn spoke of, empty when there
	// was none.
	HadModel string
	// Fact is one more thing that changed, empty when nothing did.
	Fact string
	// Context is what a sub-agent has to know besides its task.
	Context string
}

// FirstMessage is the first message of a turn, as it is stored and sent.
type FirstMessage struct {
	Text string
	// Notices are what a person should know of it, before the turn starts.
	Notices []event.Notice

	news news
}

// Message is the text of a turn with the turn's context at its tail. A fact is told
// once, when it is new. With an error, the notices that are there hold all the same.
func (m *Maker) Message(ctx context.Context, o Opening) (FirstMessage, error) {
	var out FirstMessage
	var err error
	if out.news, err = m.news(o); err != nil {
		return out, err
	}
	files := m.Files(o.Form)
	fresh, err := unread(o.Session, changed(o.Prefix.Files, files))
	if err != nil {
		return out, err
	}
	if len(fresh) > 0 {
		out.Notices = append(out.Notices, filesChanged(fresh))
	}
	in := m.input(o.Choice, files, o.Form)
	in.Turn = assembly.Turn{Run: assembly.Run(o.About.Run), Changed: fresh, Shortened: shortened(o.Prefix.Report)}
	if in.Turn.Facts, in.Turn.Tags, err = m.facts(ctx, o); err != nil {
		return out, err
	}
	if in.Turn.Time, err = m.envelope(o); err != nil {
		return out, err
	}
	if in.Turn.Plan, err = newPlan(o.Session); err != nil {
		return out, err
	}
	if in.Turn.Snippets, err = m.appended(ctx, o); err != nil {
		return out, err
	}
	if o.About.Run == SubRun {
		in.Turn.Run, in.Turn.Extra = assembly.Chat, o.Context
	}
	out.news.into(&in.Turn)
	tail, parts, err := assembly.RenderTurn(in)
	if err != nil {
		return out, fmt.Errorf("assemble the turn context: %w", err)
	}
	out.Notices = append(out.Notices, cutInTurn(parts)...)
	out.Text = m.cfg.Redactor.Redact(assembly.Attach(o.Text, tail))
	return out, nil
}

// unread are the changes of files that a session was not told of yet.
func unread(s *session.Session, all []assembly.Changed) ([]assembly.Changed, error) {
	var out []assembly.Changed
	for _, c := range all {
		told, err := s.Delivered("file:"+c.Name, c.Now)
		if err != nil {
			return nil, err
		}
		if !told {
			out = append(out, c)
		}
	}
	return out, nil
}

// filesChanged tells the person that files differ from those in the prompt.
func filesChanged(files []assembly.Changed) event.Notice {
	var names []string
	for _, c := range files {
		names = append(names, fmt.Sprintf("%s (%.12s, now %.12s)", c.Name, c.Frozen, c.Now))
	}
	return event.Notice{
		Code:    "file_changed",
		Message: "changed since this session's prompt was built: " + strings.Join(names, ", "),
		Hint:    "it enters with the next session: /new, or agent ask --new",
	}
}
