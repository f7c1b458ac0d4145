package recipes

import (
	"testing"
	"testing/fstest"

	"hardshell/runtime/skills"
)

// meter is a skill: one folder with a SKILL.md, in the workspace, the state folder or
// the program (runtime/skills/bundled).
const meter = `---
name: meter
description: how the bench meter is read
requires: {bins: [cat]}
---
Read the note beside the meter first.
`

// TestSkillRecipe finds the skill where what it needs is there, and says what is missing elsewhere.
func TestSkillRecipe(t *testing.T) {
	roots := []skills.Root{{Name: "workspace", At: "skills/", FS: fstest.MapFS{"meter/SKILL.md": {Data: []byte(meter)}}}}
	for _, has := range []bool{true, false} {
		place := skills.Place{OS: "linux", Has: func(kind, name string) bool { return has && kind == "bins" && name == "cat" }}
		all := skills.Discover(roots, place, nil)
		if len(all) != 1 || all[0].Name != "meter" || (all[0].Off == "") != has {
			t.Errorf("where cat is %v: %+v", has, all)
		}
	}
}
