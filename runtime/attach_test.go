package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy"
	"hardshell/runtime/reply"
	"hardshell/tools"
)

func TestCase022_SilenceIsForRunsThatNobodyBegan(t *testing.T) {
	l := newLab(t, nil, say("NO"), say("NO_REPLY"), say("NO_REPLY"), say("NO_REPLY, I mean"))
	if end := l.ask("Which skills do you have?"); end.Answer != "NO" || l.shown() != "NO" {
		t.Errorf("%+v", end)
	}
	if end := l.ask("And now?"); end.Answer != "NO_REPLY" || l.shown() != "NO_REPLY" || end.Silent {
		t.Errorf("%+v", end)
	}
	if end := l.do(t.Context(), Ask{Text: "tick", Run: "cron"}); end.Status != Done || !end.Silent || end.Answer != "" || l.shown() != "" {
		t.Errorf("shown %q, %+v", l.shown(), end)
	}
	if end := l.do(t.Context(), Ask{Text: "tick", Run: "cron"}); end.Silent || end.Answer != "NO_REPLY, I mean" || l.shown() != end.Answer {
		t.Errorf("shown %q, %+v", l.shown(), end)
	}
	l.checkPrefix() // the silent reply stays in the history as it was
}

func TestSilenceBehindThinkingAndWork(t *testing.T) {
	l := newLab(t, nil, call("exec", `{"argv":["uptime"]}`), thinks([]string{"nothing ", "new"}, " NO_REPLY\n"))
	end := l.do(t.Context(), Ask{Text: "tick", Run: "heartbeat"})
	if !end.Silent || len(end.Calls) != 1 || l.shown() != "" {
		t.Errorf("shown %q, %+v", l.shown(), end)
	}
}

// judging is a bench that judges reads by the path.
type judging struct{ *bench }

func (judging) Judge(_ context.Context, from tools.Origin, name string, args json.RawMessage) policy.Decision {
	if name != "read" || from.Turn == "" || !strings.Contains(string(args), `"./`) || strings.Contains(string(args), "secret") {
		return policy.Decision{Verdict: policy.Ask}
	}
	return policy.Decision{Verdict: policy.Allow}
}

// Holds makes files in memory a folder in which everything is but gone.wav.
func (f *files) Holds(path string) bool { return path != "gone.wav" }

// TestReplyTagsAfterAReload holds that the key works as soon as the model is told.
func TestReplyTagsAfterAReload(t *testing.T) {
	l := newLab(t, nil, say("Here.\n[[file:a.wav]]\n"))
	l.agent.cfg.Tools = judging{l.bench}
	tags := *l.agent.now()
	tags.Knobs.ReplyTags = true
	l.agent.Retune(tags)
	if end := l.ask("give me the take"); end.Answer != "Here.\n" || !slices.Equal(end.Files, []string{"a.wav"}) {
		t.Errorf("%+v", end)
	}
}

func TestAnAnswerAttachesWhatMayBeRead(t *testing.T) {
	var many []string
	for i := range reply.MostFiles + 1 {
		many = append(many, fmt.Sprintf("[[file:f%d]]", i))
	}
	tags := func(c *Config) { c.Knobs.ReplyTags = true }
	l := newLab(t, tags, say("Here.\n[[file:a.wav]]\n[[file:secret.pem]]\n[[file:gone.wav]]\n[[file:a.wav]]\n"), say(strings.Join(many, "\n")), say("[[file:a.wav]]"))
	l.agent.cfg.Tools = judging{l.bench}
	end := l.ask("give me the take")
	if d := cmp.Diff([]string{"a.wav"}, end.Files); d != "" || end.Answer != "Here.\n" || l.shown() != "Here.\n" {
		t.Errorf("%s shown %q, %+v", d, l.shown(), end)
	}
	var told []string
	for _, e := range l.events {
		if e.Notice != nil {
			told = append(told, e.Notice.Message)
		}
	}
	if d := cmp.Diff([]string{"secret.pem is not attached: policy does not allow it", "gone.wav is not attached: there is no such file in the workspace"}, told); d != "" {
		t.Error(d)
	}
	if len(l.bench.ran) != 0 {
		t.Errorf("something was opened: %v", l.bench.ran)
	}
	if end := l.ask("all of them"); len(end.Files) != reply.MostFiles || !slices.Contains(l.warnings(), "not_attached") {
		t.Errorf("%+v", end)
	}
	l.agent.cfg.Tools = l.bench
	if end := l.ask("again"); len(end.Files) != 0 || !slices.Contains(l.warnings(), "not_attached") {
		t.Errorf("attached what nothing judged: %+v", end)
	}
	l.checkPrefix()
}
