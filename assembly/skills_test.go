package assembly

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCase055_ModelIsToldToLoadTheSkillFirst(t *testing.T) {
	in := lab()
	in.Skills = []Skill{{"board-bringup", "use when asked to bring up a board", "skills/board-bringup/SKILL.md"}}
	s := render(t, in).System
	for _, want := range []string{
		"When a skill below fits the request, first `read` its file (one, the most specific), then follow it.",
		"- board-bringup: use when asked to bring up a board (skills/board-bringup/SKILL.md)",
	} {
		if !strings.Contains(s, want) {
			t.Errorf("the system text lacks %q", want)
		}
	}
}

func TestSkillLadder(t *testing.T) {
	skills := []Skill{
		{"b", "does b", "skills/b/SKILL.md"},
		{"c", "does c", "skills/c/SKILL.md"},
		{"a", "does a", "skills/a/SKILL.md"},
	}
	full := "<skills>\n- a: does a (skills/a/SKILL.md)\n- b: does b (skills/b/SKILL.md)\n- c: does c (skills/c/SKILL.md)\n</skills>"
	short := "<skills>\n- a (skills/a/SKILL.md)\n- b (skills/b/SKILL.md)\n- c (skills/c/SKILL.md)\n</skills>"
	one := "<skills>\n- a (skills/a/SKILL.md)\n</skills>\n2 more are not listed: `agent skills list` names them."
	none := "<skills>\n</skills>\n3 more are not listed: `agent skills list` names them."
	for _, c := range []struct {
		limit int
		want  piece
	}{
		{0, piece{text: full}},
		{len(full), piece{text: full}},
		{len(full) - 1, piece{text: short, cut: true, note: fmt.Sprintf("3 skills without their descriptions (prompt.max_skills_prompt_chars = %d)", len(full)-1)}},
		{len(short), piece{text: short, cut: true, note: fmt.Sprintf("3 skills without their descriptions (prompt.max_skills_prompt_chars = %d)", len(short))}},
		{len(one), piece{text: one, cut: true, note: fmt.Sprintf("1 of 3 skills, without their descriptions (prompt.max_skills_prompt_chars = %d)", len(one))}},
		{1, piece{text: none, cut: true, note: "0 of 3 skills, without their descriptions (prompt.max_skills_prompt_chars = 1)"}},
	} {
		c.want.data, c.want.raw = true, len(full)
		if len(short) < len(one) && c.limit == len(one) {
			continue // the note costs more than the entries it stands for
		}
		if d := cmp.Diff(c.want, skillList(skills, c.limit), cmp.AllowUnexported(piece{})); d != "" {
			t.Errorf("limit %d: %s", c.limit, d)
		}
	}
	if d := cmp.Diff(piece{}, skillList(nil, 0), cmp.AllowUnexported(piece{})); d != "" {
		t.Error(d)
	}
}

func TestSkillListNeverExceedsItsLimit(t *testing.T) {
	word := rapid.StringN(0, 60, -1)
	rapid.Check(t, func(t *rapid.T) {
		var skills []Skill
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			skills = append(skills, Skill{word.Draw(t, "name"), word.Draw(t, "description"), word.Draw(t, "location")})
		}
		limit := rapid.IntRange(100, 3000).Draw(t, "limit")
		p := skillList(skills, limit)
		if n := utf8.RuneCountInString(p.text); n > limit {
			t.Fatalf("%d characters, limit %d", n, limit)
		}
		if n := strings.Count(p.text, "\n- "); !p.cut && n != len(skills) {
			t.Fatalf("%d of %d entries and nothing said", n, len(skills))
		}
	})
}

func TestSkillSectionIsOnRecordWhenCut(t *testing.T) {
	in := lab()
	for i := range 100 {
		in.Skills = append(in.Skills, Skill{fmt.Sprintf("skill-%02d", i), strings.Repeat("x", 100), fmt.Sprintf("skills/s%02d/SKILL.md", i)})
	}
	p := partOf(t, render(t, in), "skills", "")
	if !p.Cut || p.Note != "100 skills without their descriptions (prompt.max_skills_prompt_chars = 6000)" {
		t.Errorf("%+v", p)
	}
}
