package assembly

import (
	"encoding/json"
	"math"
	"testing"
)

func TestRefusedInput(t *testing.T) {
	for _, c := range []struct {
		change func(*Input)
		want   string
	}{
		{func(in *Input) { in.Mode = 3 }, "assembly: mode 3 does not exist; use None, Minimal or Full"},
		{func(in *Input) { in.Turn.Run = "sub" }, `assembly: run kind "sub" does not exist; use chat, cron, heartbeat, wake or announce`},
		{func(in *Input) { in.Limits.File = -1 }, "assembly: prompt.bootstrap_max_chars is -1; give a positive number, or 0 for the default"},
		{func(in *Input) { in.Limits.Total = -2 }, "assembly: prompt.bootstrap_total_max_chars is -2; give a positive number, or 0 for the default"},
		{func(in *Input) { in.Limits.Skills = -3 }, "assembly: prompt.max_skills_prompt_chars is -3; give a positive number, or 0 for the default"},
		{func(in *Input) { in.Limits.Window = -4 }, "assembly: model.num_ctx is -4; give a positive number, or 0 for the default"},
		{func(in *Input) { in.Limits.WindowShare = 1.5 }, "assembly: prompt.bootstrap_window_share is 1.5; give a share above 0 and up to 1, or 0 for the default"},
		{func(in *Input) { in.Limits.WindowShare = math.NaN() }, "assembly: prompt.bootstrap_window_share is NaN; give a share above 0 and up to 1, or 0 for the default"},
		{func(in *Input) { in.Tools[1].Name = "exec" }, "assembly: tool exec is offered twice; register it once"},
		{func(in *Input) { in.Tools[1].Name = "" }, `assembly: "" is no name for a tool; use letters, digits and underscores`},
		{func(in *Input) { in.Tools[1].Name = "a\nb" }, `assembly: "a\nb" is no name for a tool; use letters, digits and underscores`},
		{func(in *Input) { in.Tools[1].Schema = json.RawMessage(`{"a":`) }, "assembly: the schema of tool read is no JSON; generate it from the argument struct"},
		{func(in *Input) { in.Tools[1].Schema = nil }, "assembly: the schema of tool read is no JSON; generate it from the argument struct"},
		{func(in *Input) { in.Files = append(in.Files, in.Files[0]) }, "assembly: workspace file MEMORY.md is given twice; pass it once"},
		{func(in *Input) { in.Files[0].Name = "" }, `assembly: "" is no path below the workspace; give it relative to the root, without dots`},
		{func(in *Input) { in.Files[0].Name = "/etc/passwd" }, `assembly: "/etc/passwd" is no path below the workspace; give it relative to the root, without dots`},
		{func(in *Input) { in.Files[0].Name = "../x" }, `assembly: "../x" is no path below the workspace; give it relative to the root, without dots`},
		{func(in *Input) { in.Files[0].Name = "./SOUL.md" }, `assembly: "./SOUL.md" is no path below the workspace; give it relative to the root, without dots`},
	} {
		in := lab()
		c.change(&in)
		_, err := Render(in)
		if err == nil || err.Error() != c.want {
			t.Errorf("Render: %v, want %s", err, c.want)
		}
		if _, _, err := RenderTurn(in); err == nil || err.Error() != c.want {
			t.Errorf("RenderTurn: %v, want %s", err, c.want)
		}
	}
}

func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		bytes int
		ratio float64
		want  int
	}{{0, 0, 0}, {1, 0, 1}, {36, 0, 10}, {37, 0, 11}, {100, 4, 25}, {100, -1, 28}} {
		if got := estimate(c.bytes, c.ratio); got != c.want {
			t.Errorf("Estimate(%d, %g) = %d, want %d", c.bytes, c.ratio, got, c.want)
		}
	}
}

// The estimator is corrected from what servers count; that must not move a byte.
func TestRatioMovesOnlyEstimates(t *testing.T) {
	in := lab()
	in.Limits.Window = 512
	a := render(t, in)
	in.BytesPerToken = 2
	b := render(t, in)
	if a.System != b.System {
		t.Error("a corrected estimate moved the system text")
	}
	if x, y := a.Report.Parts[0], b.Report.Parts[0]; x.Tokens != 20 || y.Tokens != 36 {
		t.Errorf("%d and %d tokens", x.Tokens, y.Tokens)
	}
}
