package labday

import (
	"fmt"
	"os"
	"strings"
)

// The marks of the part of a page that the program writes anew.
const (
	opening = "<!-- lab-day: what follows is written by make lab-day -->"
	closing = "<!-- lab-day: end -->"
)

// header is what a warm-up reads and the next message does not continue: the name of
// the role that would answer, behind the template's mark for a message, and the end
// of its line.
const header = len("assistant\n")

// Extra is what a request of the agent's own session cost beyond its new tokens, and
// the effect that explains it, empty when nothing does.
type Extra struct {
	Tokens int
	Why    string
}

// Extras explains each request of the agent's own session that cost more than its
// new tokens, by its place in all.
func Extras(all []Request) map[int]Extra {
	out := map[int]Extra{}
	warmed := false
	for i, r := range all {
		if r.Sub {
			continue
		}
		if over := r.Evaluated - r.New; over != 0 {
			e := Extra{Tokens: over}
			if warmed && over == header {
				e.Why = "the template ends a warm-up with the header of a reply; a message came in its place"
			}
			out[i] = e
		}
		warmed = r.Kind == "warm-up" || r.Kind == "seed"
	}
	return out
}

// Section is the part of the page about the day.
func Section(ours, peers []Request, date string) string {
	o, p := Sum(ours, false), Sum(peers, false)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", opening)
	fmt.Fprintf(&b, "Measured on %s on a real Ollama 0.17.4 with two slots, by the server's own log (`loading cache slot … used=`). The\n", date)
	b.WriteString("model is the scripted one, so a token is a byte and each answer is known. The day has 12 chat turns over minutes and a\n" +
		"change of date, two cron turns, a heartbeat, the end of a background command, a sub-agent, a note in MEMORY.md and a\n" +
		"skill that is read. Turns, prompt, sessions, tools, policy, wake, sub-agent and seeding are the product's own; the\n" +
		"harness stands in for the scheduler (it sends the cron and heartbeat turns), the sandbox and the clock.\n\n")
	b.WriteString("![Evaluated tokens of each request of the day](lab-day.svg)\n\n")
	b.WriteString("| the agent's own session | requests | new tokens | evaluated | evaluated for each new one |\n|---|---|---|---|---|\n")
	fmt.Fprintf(&b, "| hardshell | %d | %d | %d | %.3f |\n", o.Requests, o.New, o.Evaluated, o.Ratio())
	fmt.Fprintf(&b, "| the same day with the habits of today's agents | %d | %d | %d | %.1f |\n\n", p.Requests, p.New, p.Evaluated, p.Ratio())
	b.WriteString("Those habits are a clock to the minute and a line of the run kind at the end of the system text, no seeding and no\n" +
		"warm-up: placed where they cost least, on the same server and model. New is what a session had not sent before; a reply\n" +
		"counts when it comes back as history, since its tokens are made anew from its text. What hardshell reads ahead of need\n" +
		"(seed and warm-up) is a part of its figures. The test holds its figure at 1.05 or less, and every request at its new\n" +
		"tokens but for the effects listed here:\n\n")
	extras := Extras(ours)
	if len(extras) == 0 {
		b.WriteString("- none\n")
	}
	counts, order := map[string]int{}, []string{}
	sums := map[string]int{}
	for i := range ours {
		e, ok := extras[i]
		if !ok {
			continue
		}
		if counts[e.Why] == 0 {
			order = append(order, e.Why)
		}
		counts[e.Why]++
		sums[e.Why] += e.Tokens
	}
	for _, why := range order {
		fmt.Fprintf(&b, "- %d tokens in %d requests: %s\n", sums[why], counts[why], why)
	}
	b.WriteString("\n| | clock | what | slot | prompt | new | evaluated | with the habits |\n|---|---|---|---|---|---|---|---|\n")
	theirs := byTurn(peers)
	for i, r := range ours {
		fresh := fmt.Sprint(r.New)
		if r.Sub {
			fresh = ""
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %d | %d | %s | %d | %s |\n", i+1, r.At.Format("Mon 15:04"), label(r), r.Slot, r.Prompt, fresh, r.Evaluated, theirs.next(r))
	}
	fmt.Fprintf(&b, "\n%s", closing)
	return b.String()
}

// label names a request.
func label(r Request) string {
	if r.Sub && r.Kind == "warm-up" {
		return "seed of the sub-agent's slot"
	}
	return r.Kind
}

// turnsOf are requests in their order, by the turn that they belong to.
type turnsOf map[string][]Request

// byTurn sorts requests by turn.
func byTurn(all []Request) turnsOf {
	out := turnsOf{}
	for _, r := range all {
		out[key(r)] = append(out[key(r)], r)
	}
	return out
}

// key names a turn: no two of the day have the same time and kind.
func key(r Request) string { return r.At.Format("2 15:04 ") + r.Kind }

// next is what the request of the other day cost that stands in the same place.
func (t turnsOf) next(r Request) string {
	list := t[key(r)]
	if len(list) == 0 {
		return ""
	}
	t[key(r)] = list[1:]
	return fmt.Sprint(list[0].Evaluated)
}

// Rewrite puts a section between its marks in a page.
func Rewrite(path, section string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(page), opening)
	_, after, closed := strings.Cut(rest, closing)
	if !ok || !closed {
		return fmt.Errorf("%s has no place for the lab day: put the lines %q and %q into it", path, opening, closing)
	}
	return os.WriteFile(path, []byte(before+section+after), 0o644)
}
