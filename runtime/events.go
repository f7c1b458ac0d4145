package runtime

import (
	"log/slog"
	"strings"
	"time"

	"hardshell/runtime/event"
)

// events is where the events of one turn go.
type events struct {
	session, turn string // the names on each event; turn is empty until it has begun
	sink          func(event.Event)
	now           func() time.Time
	log           *slog.Logger
	shown         strings.Builder // text that the person has seen of this turn's answers
}

// emit sends an event with the turn's names on it.
func (o *events) emit(e event.Event) {
	e.Time, e.Session, e.Turn = o.now(), o.session, o.turn
	o.sink(e)
}

// text shows a piece of the answer.
func (o *events) text(s string) {
	if s == "" {
		return
	}
	o.shown.WriteString(s)
	o.chunk(event.Chunk{Text: s})
}

// chunk shows a piece of a reply.
func (o *events) chunk(c event.Chunk) { o.emit(event.Event{Kind: event.ModelChunk, Chunk: &c}) }

// warn tells person and log.
func (o *events) warn(n event.Notice) {
	o.log.Warn("notice", "code", n.Code, "message", n.Message, "session", o.session, "turn", o.turn)
	o.emit(event.Event{Kind: event.Warning, Notice: &n})
}

// end sends the last event.
func (o *events) end(end event.End) event.End {
	o.emit(event.Event{Kind: event.TurnEnd, End: &end})
	return end
}
