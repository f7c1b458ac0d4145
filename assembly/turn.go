package assembly

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// hashDigits is how much of a file's hash a notice shows.
const hashDigits = 12

// turnPieces renders what rides at the tail of the newest user message, in its
// fixed order; nothing at all on an unchanged turn.
func turnPieces(v *view) []piece {
	t := v.in.Turn
	pieces := []piece{
		{name: "envelope", text: envelope(v.in)},
		{name: "facts", text: bullets("Changed since you were last told:", t.Facts)},
		{name: "reasoning", text: changedTags(v)},
		{name: "plan", text: bullets("Your plan:", t.Plan)},
		{name: "running", text: bullets("Running now:", t.Running)},
		{name: "approvals", text: bullets("Waiting for a person:", t.Approvals)},
		{name: "changed", text: changedNotice(v.in)},
		{name: "shortened", text: shortenedNotice(v)},
	}
	pieces = append(pieces, contract(v)...)
	pieces = append(pieces, extra(v.in), piece{name: "dynamic_suffix", source: "overlay " + v.overlay.Family, text: strings.TrimSpace(fold(v.overlay.DynamicSuffix))})
	for _, s := range t.Snippets {
		pieces = append(pieces, fenced(v.in, "snippet", s.Source, s.Text))
	}
	var out []piece
	for _, p := range pieces {
		if p.text != "" {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return nil
	}
	for i := range out {
		out[i].text += "\n"
	}
	out[0].text = "<context>\n" + out[0].text
	out[len(out)-1].text += "</context>"
	return out
}

// changedTags is the Reasoning format, or its end, as of this turn.
func changedTags(v *view) string {
	switch v.in.Turn.Tags {
	case TagsAsked:
		_, text, _ := strings.Cut(v.fill("reasoning"), "\n") // without its heading
		return text
	case TagsEnded:
		return v.fill("turn_reasoning_off")
	}
	return ""
}

// envelope tells the local time of the message and its zone.
func envelope(in *Input) string {
	at := in.Turn.Time
	if at.IsZero() {
		return ""
	}
	layout := "Mon 2006-01-02 15:04"
	if in.Knobs.TwelveHour {
		layout = "Mon 2006-01-02 3:04 PM"
	}
	return "Time: " + at.Format(layout) + " " + zoneName(in, at)
}

// zoneName is the zone's name with the offset that holds at that time.
func zoneName(in *Input, at time.Time) string {
	offset := "UTC" + at.Format("-07:00")
	if in.Zone == "" {
		return offset
	}
	return oneLine(in.Zone) + " (" + offset + ")"
}

// bullets lists lines below a title.
func bullets(title string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(title)
	for _, l := range lines {
		b.WriteString("\n- " + oneLine(l))
	}
	return b.String()
}

// changedNotice names files that are newer than the prompt, with both hashes.
func changedNotice(in *Input) string {
	var lines []string
	for _, c := range in.Turn.Changed {
		lines = append(lines, fmt.Sprintf("%s: %s in the prompt, %s now", c.Name, shortHash(c.Frozen), shortHash(c.Now)))
	}
	title := "Files newer than this prompt, which keeps the old text until the next session:"
	if in.offers("read") {
		title = "Files newer than this prompt (`read` them; it keeps the old text until the next session):"
	}
	return bullets(title, lines)
}

// shortenedNotice names the files that are not whole in the prompt.
func shortenedNotice(v *view) string {
	if !v.in.Knobs.RepeatCutNotice {
		return ""
	}
	names := v.in.Turn.Shortened
	for _, f := range v.files {
		if f.cut {
			names = append(names[:len(names):len(names)], f.source)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Not whole in this prompt: " + list(names)
}

// shortHash keeps the first digits of a hash, and words like "missing" whole.
func shortHash(h string) string {
	if len(h) == 64 {
		return h[:hashDigits]
	}
	return h
}

// contract is what a run kind asks for, with its data fenced. A chat turn has
// none.
func contract(v *view) []piece {
	in := v.in
	switch in.Turn.Run {
	case Cron:
		return []piece{{name: "cron", text: v.fill("turn_cron")}}
	case Heartbeat:
		return append([]piece{{name: "heartbeat", text: v.fill("turn_heartbeat")}}, notes(in)...)
	case Announce:
		return []piece{{name: "announce", text: v.fill("turn_announce")}, fenced(in, "result", in.Turn.Event.From, in.Turn.Event.Text)}
	case Wake:
		return []piece{{name: "wake", text: v.fill("turn_wake")}, fenced(in, "event", in.Turn.Event.From, in.Turn.Event.Text)}
	}
	return nil
}

// hasNotes reports whether there are heartbeat notes to show.
func (v *view) hasNotes() bool {
	if v.in.Turn.Run != Heartbeat {
		return false
	}
	for _, p := range notes(v.in) {
		if p.text != "" {
			return true
		}
	}
	return false
}

// notes are the heartbeat notes, fenced.
func notes(in *Input) []piece {
	var out []piece
	for _, f := range rank(in.Files) {
		if !IsHeartbeat(f.Name) || f.Missing {
			continue
		}
		text, note, problem := decode(f.Data)
		if f.Problem != "" {
			problem = f.Problem
		}
		if problem != "" {
			out = append(out, piece{
				name: "notes", source: f.Name, data: true, raw: len(f.Data), cut: true, note: "not in the prompt: " + problem,
				text: "[UNREADABLE] " + oneLine(f.Name) + ": " + oneLine(problem),
			})
			continue
		}
		p := fenced(in, "notes", f.Name, text)
		p.rawHash, p.raw, p.note = hash(f.Data), len(f.Data), joinNotes(note, p.note)
		out = append(out, p)
	}
	return out
}

// fenced puts untrusted text into a fence, within the limit of a file and the
// window share.
func fenced(in *Input, name, from, text string) piece {
	p := piece{name: name, source: from, data: true, raw: len(text)}
	body := fold(harmless(text))
	if body == "" {
		return piece{}
	}
	size := utf8.RuneCountInString(text)
	if limit := in.Limits.total().bites(body); limit != nil {
		c, short, ok := cut(body, limit.budget, func(c cutText) string { return dataMark(c, size) })
		p.cut, p.note = true, cutNote(c, size, limit)
		if body = short; !ok {
			body = dataMark(c, size)
		}
	}
	p.text = dataFence(orWord(from, name), body)
	return p
}

// dataMark is what the model reads in the middle of shortened data.
func dataMark(c cutText, size int) string {
	return fmt.Sprintf("\n[hardshell: shortened here: the first %d and last %d of %d characters are shown]\n",
		utf8.RuneCountInString(c.head), utf8.RuneCountInString(c.tail), size)
}

// extra is the caller's context: the frame of a sub-agent's task, or what a
// conversation is about.
func extra(in *Input) piece {
	body := fold(harmless(in.Turn.Extra))
	if body == "" {
		return piece{}
	}
	label := "Conversation Context:\n"
	if in.Mode == Minimal {
		label = "Subagent Context:\n"
	}
	return piece{name: "extra", text: label + body}
}
