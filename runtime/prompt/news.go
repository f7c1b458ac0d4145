package prompt

import (
	"fmt"
	"strings"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/tools/command"
)

// Background are the commands that run in the background.
type Background interface {
	// Commands gives those of a session that run, and those that have ended without
	// the model knowing; of every session when it is empty.
	Commands(session string) (running, pending []command.ProcessRecord)
	// Delivered notes that the model knows of these ends.
	Delivered(ids ...string) error
}

// news is what a turn has to tell of commands in the background. It is stored with
// the turn's message, so each thing is told once.
type news struct {
	wake    bool
	running []string
	ended   []command.ProcessRecord
	known   []string // ends that an earlier turn told, and that are not noted as such
}

// news looks up what the session was not told of yet.
func (m *Maker) news(o Opening) (news, error) {
	n := news{wake: o.About.Run == string(assembly.Wake)}
	if m.cfg.Running == nil {
		return n, nil
	}
	running, untold := m.cfg.Running.Commands(o.About.Session)
	for _, r := range running {
		n.running = append(n.running, r.Line())
	}
	if len(n.running) > 0 {
		told, err := o.Session.Delivered("commands", strings.Join(n.running, "\n"))
		if err != nil {
			return n, err
		}
		if told {
			n.running = nil
		}
	}
	for _, r := range untold {
		told, err := o.Session.Delivered("command "+r.ID, r.How)
		if err != nil {
			return n, err
		}
		if told {
			n.known = append(n.known, r.ID)
		} else {
			n.ended = append(n.ended, r)
		}
	}
	return n, nil
}

// into puts the news into the turn's context. The first end is what a wake is about.
func (n news) into(t *assembly.Turn) {
	t.Running = n.running
	for i, r := range n.ended {
		if i == 0 && n.wake {
			t.Event = assembly.Event{From: endedLine(r), Outcome: r.How, Text: r.Last}
			continue
		}
		t.Facts = append(t.Facts, endedLine(r))
		if r.Last != "" {
			t.Snippets = append(t.Snippets, assembly.Snippet{Source: "the end of " + r.ID + "'s output", Text: r.Last})
		}
	}
}

// endedLine says what a command was and how it ended.
func endedLine(r command.ProcessRecord) string {
	return fmt.Sprintf("%s (%s): %s", r.ID, r.Subject, r.How)
}

// Delivered notes that a message is stored, so that the model knows what it tells. The
// notices tell the person the same.
func (m *Maker) Delivered(msg FirstMessage) []event.Notice {
	ids := msg.news.known
	var out []event.Notice
	for _, r := range msg.news.ended {
		ids = append(ids, r.ID)
		out = append(out, event.Notice{Code: EndedNotice, Message: endedLine(r)})
	}
	if len(ids) == 0 {
		return out
	}
	if err := m.cfg.Running.Delivered(ids...); err != nil {
		out = append(out, event.Notice{Code: "record", Message: err.Error(), Hint: "it may be told once more after a restart"})
	}
	return out
}

// EndedNotice is the code of a notice that a command in the background has ended.
const EndedNotice = "command_ended"
