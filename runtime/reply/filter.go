package reply

import (
	"strings"

	"hardshell/assembly"
	"hardshell/runtime/event"
)

// Rules say how the replies of one turn are filtered. The zero value shows every
// text and no thinking.
type Rules struct {
	// Silence lets a reply be NO_REPLY: no person began the turn.
	Silence bool
	// Heartbeat lets a reply be HEARTBEAT_OK, so nothing is shown before its end.
	Heartbeat bool
	// Directives are taken out; else they are text like any other.
	Directives bool
	// Show is what is shown of the thinking: ShowOn, ShowStream, else nothing.
	Show string
}

// RulesOf gives the rules of a kind of run. Directives and show are as in Rules.
func RulesOf(run string, directives bool, show string) Rules {
	r := Rules{Directives: directives, Show: show}
	switch assembly.Run(run) {
	case assembly.Cron, assembly.Wake, assembly.Announce:
		r.Silence = true
	case assembly.Heartbeat:
		r.Silence, r.Heartbeat = true, true
	}
	return r
}

// Filter is one reply on its way to the person: thinking as far as it is shown, then
// text, held back while it may be no answer, without the directives in it.
type Filter struct {
	rules    Rules
	thinking thinkingFilter
	hold     holdFilter
	direct   directiveFilter
}

// Filter begins a reply. text takes what is shown of the answer, chunk what is shown
// of the thinking.
func (r Rules) Filter(text func(string), chunk func(event.Chunk)) *Filter {
	f := &Filter{rules: r}
	f.direct = directiveFilter{out: text, off: !r.Directives}
	f.hold = holdFilter{out: f.direct.write, silence: r.Silence, whole: r.Heartbeat}
	f.thinking = thinkingFilter{show: r.Show, out: chunk}
	return f
}

// Thinking takes the next piece of the thinking; an empty one is nothing.
func (f *Filter) Thinking(text string) { f.thinking.write(text) }

// Text takes the next piece of the answer; an empty one is nothing. The first one ends
// the thinking.
func (f *Filter) Text(text string) {
	if text != "" {
		f.thinking.end()
		f.hold.write(text)
	}
}

// End lets out what was held, unless the reply was a call or silence. whole is the
// text of the reply.
func (f *Filter) End(whole string, call bool) {
	f.thinking.end()
	said, silent := f.rules.Deliver(whole)
	switch {
	case call || silent:
		f.hold.drop()
	case f.hold.whole:
		f.hold.drop()
		f.direct.write(said)
	default:
		f.hold.release()
	}
	f.direct.end()
}

// Break lets out what was held of a stream that broke off.
func (f *Filter) Break() {
	f.thinking.end()
	f.hold.release()
	f.direct.end()
}

// Files are the paths that the reply attaches, in their order, as the model wrote them.
func (f *Filter) Files() []string { return f.direct.files }

// WithoutDirectives is an answer as it is shown.
func (r Rules) WithoutDirectives(text string) string {
	var b strings.Builder
	d := directiveFilter{out: func(s string) { b.WriteString(s) }, off: !r.Directives}
	d.write(text)
	d.end()
	return b.String()
}
