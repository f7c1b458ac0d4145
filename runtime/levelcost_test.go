package runtime

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
)

// leveller is a server whose template writes what was asked of the thinking.
type leveller struct {
	*script
	write func(level, text string) string
	err   error
}

func (s *leveller) Render(_ context.Context, q model.Request) (string, error) {
	var b strings.Builder
	for _, m := range q.Messages {
		b.WriteString(m.Text)
	}
	return s.write(string(q.Think), b.String()), s.err
}

// What a change of the level costs is what stands behind its first byte in the
// server's own rendering.
func TestThinkLevel_TellsWhatAChangeCosts(t *testing.T) {
	front := func(level, text string) string { return "[" + level + "]" + text }
	for name, c := range map[string]struct {
		write  func(level, text string) string
		err    error
		family string
		change []string // levels, one after the other
		told   string   // what the last one's note begins with; empty: no note of a cost
	}{
		"at the front":                        {front, nil, "qwen3", []string{"high"}, "the template of qwen3:4b writes the level behind byte 2 of "},
		"behind everything":                   {func(level, text string) string { return text + "[" + level + "]" }, nil, "qwen3", []string{"high"}, ""},
		"near the end":                        {func(level, text string) string { return text[:len(text)-40] + "[" + level + "]" + text[len(text)-40:] }, nil, "qwen3", []string{"high"}, ""},
		"a level that asks for the same":      {front, nil, "qwen3", []string{"low", "high"}, ""},
		"the level that holds":                {front, nil, "qwen3", []string{"off"}, ""},
		"no rendering":                        {front, context.DeadlineExceeded, "qwen3", []string{"high"}, ""},
		"no rendering, a family that does so": {front, context.DeadlineExceeded, "gptoss", []string{"high"}, "the level stands at the front of its prompt"},
	} {
		l := newLab(t, func(cfg *Config) { cfg.Model = &leveller{cfg.Model.(*script), c.write, c.err} }, say("a"))
		l.thinker(c.family)
		l.files.set("AGENTS.md", strings.Repeat("A rule of the lab. ", 100))
		l.ask("one")
		var now SessionSettings
		for _, level := range c.change {
			now = l.adjust(Change{Think: level})
		}
		told := ""
		for _, n := range now.Notes {
			if strings.Contains(n, " anew") {
				told = n
			}
		}
		if !strings.HasPrefix(told, c.told) || (told == "") != (c.told == "") {
			t.Errorf("%s: %q", name, now.Notes)
		}
	}
}

// A changed level is looked at while nobody talks, as after a turn.
func TestThinkLevel_AChangeStirs(t *testing.T) {
	for name, c := range map[string]struct {
		change Change
		want   int
	}{"a look": {Change{}, 0}, "what is shown": {Change{Reasoning: "on"}, 0}, "a level": {Change{Think: "high"}, 1}, "a model": {Change{Model: "default"}, 1}} {
		synctest.Test(t, func(t *testing.T) {
			l := warmLab(t, nil, say("x"))
			ctx, stop := context.WithCancel(context.Background())
			done := make(chan struct{})
			go func() { defer close(done); l.agent.Idle(ctx, "") }()
			l.adjust(c.change)
			pass(time.Minute - time.Second)
			stop()
			<-done
			if d := cmp.Diff(c.want, l.model.count()); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		})
	}
}
