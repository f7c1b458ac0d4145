package assembly

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// skillList renders the skills within a limit in characters, by the ladder: full
// entries; names and locations; as many of those as fit, with a note. Order is
// by name, then by location.
func skillList(skills []Skill, limit int) piece {
	if limit == 0 {
		limit = skillsLimit
	}
	if len(skills) == 0 {
		return piece{}
	}
	skills = slices.Clone(skills)
	slices.SortFunc(skills, func(a, b Skill) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Location, b.Location))
	})
	long, short := make([]string, len(skills)), make([]string, len(skills))
	for i, s := range skills {
		short[i] = fmt.Sprintf("- %s (%s)", oneLine(s.Name), oneLine(s.Location))
		long[i] = fmt.Sprintf("- %s: %s (%s)", oneLine(s.Name), oneLine(s.Description), oneLine(s.Location))
	}
	key := fmt.Sprintf("prompt.max_skills_prompt_chars = %d", limit)
	p := piece{data: true, raw: len(skillBlock(long, ""))}
	if p.text = skillBlock(long, ""); utf8.RuneCountInString(p.text) <= limit {
		return p
	}
	p.cut = true
	if p.text = skillBlock(short, ""); utf8.RuneCountInString(p.text) <= limit {
		p.note = fmt.Sprintf("%d skills without their descriptions (%s)", len(skills), key)
		return p
	}
	for n := len(short) - 1; n >= 0; n-- {
		note := fmt.Sprintf("%d more are not listed: `agent skills list` names them.", len(short)-n)
		p.text = skillBlock(short[:n], note)
		if utf8.RuneCountInString(p.text) <= limit || n == 0 {
			p.note = fmt.Sprintf("%d of %d skills, without their descriptions (%s)", n, len(short), key)
			break
		}
	}
	return p
}

// skillBlock fences entries and a note.
func skillBlock(entries []string, note string) string {
	var b strings.Builder
	b.WriteString("<skills>\n")
	for _, e := range entries {
		b.WriteString(e + "\n")
	}
	b.WriteString("</skills>")
	if note != "" {
		b.WriteString("\n" + note)
	}
	return b.String()
}
