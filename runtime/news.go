package runtime

import (
	"fmt"
	"strings"

	"hardshell/assembly"
	"hardshell/runtime/event"
	"hardshell/tools/command"
)

// news is what a turn has to tell of commands in the background. It is stored with
// the turn's message, so each thing is told once.
type news struct {
	wake    bool
	running []string
	ended   []command.Record
	known   []string // ends that an earlier turn told, and that are not noted as such
}

// news looks up what the session was not told of yet.
func (t *turn) news() (news, error) {
	n := news{wake: t.ask.Run == string(assembly.Wake)}
	if t.a.cfg.Jobs == nil {
		return n, nil
	}
	running, untold := t.a.cfg.Jobs.Commands(t.ask.Session)
	for _, r := range running {
		n.running = append(n.running, r.Line())
	}
	if len(n.running) > 0 {
		told, err := t.s.Told("commands", strings.Join(n.running, "\n"))
		if err != nil {
			return n, err
		}
		if told {
			n.running = nil
		}
	}
	for _, r := range untold {
		told, err := t.s.Told("command "+r.ID, r.How)
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
func endedLine(r command.Record) string { return fmt.Sprintf("%s (%s): %s", r.ID, r.Subject, r.How) }

// toldNews tells the person what the model was told, and notes it.
func (t *turn) toldNews(n news) {
	ids := n.known
	for _, r := range n.ended {
		ids = append(ids, r.ID)
		t.warn(event.Notice{Code: EndedNotice, Message: endedLine(r)})
	}
	if len(ids) == 0 {
		return
	}
	if err := t.a.cfg.Jobs.Delivered(ids...); err != nil {
		t.warn(event.Notice{Code: "record", Message: err.Error(), Hint: "it may be told once more after a restart"})
	}
}

// EndedNotice is the code of a notice that a command in the background has ended.
const EndedNotice = "command_ended"
