package skills

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const probe = "---\nname: probe\ndescription: take a scope reading\n---\nbody\n"

// everywhere is a place where every need is met.
var everywhere = Place{OS: "linux", Board: "jetson", Has: func(string, string) bool { return true }}

// one discovers a single file and gives its skill.
func one(t *testing.T, data string, place Place) Skill {
	t.Helper()
	all := Discover([]Root{{Name: "workspace", FS: fstest.MapFS{"x/SKILL.md": {Data: []byte(data)}}, At: "skills/"}}, place, nil)
	if len(all) != 1 {
		t.Fatalf("%d skills", len(all))
	}
	return all[0]
}

func utf16le(s string) string {
	out := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return string(out)
}

func TestEncodings(t *testing.T) {
	want := Skill{
		Name: "probe", Description: "take a scope reading", Location: "skills/x/SKILL.md", Root: "workspace",
		Invocable: true, Listed: true, Body: "body\n",
	}
	for name, data := range map[string]string{
		"plain":         probe,
		"case049_bom":   "\uFEFF" + probe,
		"case050_crlf":  strings.ReplaceAll(probe, "\n", "\r\n"),
		"old mac":       strings.ReplaceAll(probe, "\n", "\r"),
		"case052_utf16": utf16le(probe),
	} {
		t.Run(name, func(t *testing.T) {
			got := one(t, data, everywhere)
			if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Skill{}, "Hash")); d != "" || len(got.Hash) != 64 {
				t.Error(d, got.Hash)
			}
		})
	}
	if got := one(t, "\uFEFF"+strings.Replace(probe, "body", "bo\uFEFFdy", 1), everywhere); got.Body != "bo\uFEFFdy\n" {
		t.Errorf("a mark in the middle is content: %q", got.Body)
	}
}

// TestCase053_BrokenFrontMatterSwitchesOff: every fault gives a skill that is
// off and names file and line where the parser knows one.
func TestCase053_BrokenFrontMatterSwitchesOff(t *testing.T) {
	for data, want := range map[string]string{
		"---\nname: probe\n\tdescription: x\ntools: [read_file]\n---\nb": "line 3",
		"---\nname: probe\ndescription: x\nsurprise: 1\n---\nb":          "line 4: field surprise not found",
		"---\nname: probe\n---\nb":                                       "description is missing",
		"---\ndescription: x\n---\nb":                                    "name is missing",
		"---\nname: ../probe\ndescription: x\n---\nb":                    "may have letters",
		"---\nname: probe\ndescription: x\n":                             "no end",
		"name: probe\n":                                                  "line 1",
		"":                                                               "line 1",
		"---\nname: probe\ndescription: \xff\n---\n":                     "neither UTF-8",
		"---\nname: probe\ndescription: x\nuser-invocable: maybe\n---\n": "line 4",
		"---\nname: probe\ndescription: x\n---\n" + strings.Repeat("x", maxFile): "more than 256000 bytes",
	} {
		got := one(t, data, everywhere)
		if !got.Fault || !strings.Contains(got.Off, want) || !strings.HasPrefix(got.Off, "skills/x/SKILL.md: ") {
			t.Errorf("%.60q: off = %q, want %q", data, got.Off, want)
		}
		if len(Usable([]Skill{got})) != 0 {
			t.Errorf("%.60q: it is usable", data)
		}
	}
}

func TestGates(t *testing.T) {
	has := map[string]bool{"bins aplay": true, "env LAB": true, "bus i2c-7": true, "pin fan_en": true, "config zone": true}
	place := Place{OS: "linux", Board: "jetson", Has: func(kind, name string) bool { return has[kind+" "+name] }}
	for needs, want := range map[string]string{
		"bins: [aplay]":                 "",
		"bins: [aplay, sox]":            "the program sox is not installed",
		"env: [HOME2]":                  "the variable HOME2 is not set",
		"os: [darwin, linux]":           "",
		"os: [darwin]":                  "it is for darwin and this is linux",
		"board: [sim]":                  "it is for the board sim and this is jetson",
		"board: [sim, jetson]":          "",
		"bus: [i2c-1]":                  "the bus i2c-1 is not there",
		"pin: [laser]":                  "the policy names no line laser",
		"config: [zone]\n  pin: [x]":    "the policy names no line x",
		"config: [model.name]":          "the config key model.name is not set",
		"bus: [i2c-7]\n  pin: [fan_en]": "",
	} {
		got := one(t, "---\nname: p\ndescription: d\nrequires:\n  "+needs+"\n---\n", place)
		if got.Off != want || got.Fault {
			t.Errorf("%s: off = %q, want %q", needs, got.Off, want)
		}
	}
	if got := one(t, "---\nname: p\ndescription: d\nrequires:\n  bins: [ls]\n---\n", Place{OS: "linux"}); got.Off == "" {
		t.Error("a place that knows nothing lets a gate through")
	}
}

func TestPrecedence(t *testing.T) {
	file := func(name, text string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: " + text + "\n---\n")}
	}
	roots := []Root{
		{Name: "workspace", At: "skills/", FS: fstest.MapFS{"a/deep/er/SKILL.md": file("Probe", "mine"), "broken/SKILL.md": {Data: []byte("---\nname: scan\n")}}},
		{Name: "state", At: "/s/", FS: fstest.MapFS{"probe/SKILL.md": file("probe", "the lab's"), "scan/SKILL.md": file("scan", "works")}},
		{Name: "bundled", At: "/b/", FS: fstest.MapFS{"zoom/SKILL.md": file("zoom", "extra")}},
	}
	var got []string
	for _, s := range Discover(roots, everywhere, []string{"probe", "SCAN"}) {
		got = append(got, fmt.Sprintf("%s %s [%s]", s.Name, s.Location, s.Off))
	}
	want := []string{
		"broken skills/broken/SKILL.md [skills/broken/SKILL.md: the front matter has no end: close it with a line of three dashes]",
		"Probe skills/a/deep/er/SKILL.md []",
		"probe /s/probe/SKILL.md [hidden by skills/a/deep/er/SKILL.md]",
		"scan /s/scan/SKILL.md []",
		"zoom /b/zoom/SKILL.md [the agent's list of skills does not name it]",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if s, ok := Find(Discover(roots, everywhere, nil), "PROBE"); !ok || s.Description != "mine" {
		t.Errorf("Find = %+v, %v", s, ok)
	}
	if _, ok := Find(Discover(roots, everywhere, nil), "broken"); ok {
		t.Error("a skill that is off was found")
	}
}

func TestBounds(t *testing.T) {
	many := fstest.MapFS{}
	for i := range maxFolders + 20 {
		many[fmt.Sprintf("s%04d/SKILL.md", i)] = &fstest.MapFile{Data: []byte(strings.Replace(probe, "probe", fmt.Sprintf("s%d", i), 1))}
	}
	all := Discover([]Root{{Name: "workspace", FS: many, At: "skills/"}}, everywhere, nil)
	off := 0
	for _, s := range all {
		if strings.Contains(s.Off, "more than 300 folders") {
			off++
		}
	}
	if len(all) != maxFolders || off != 1 { // 299 skills and the one that says where the looking ended
		t.Errorf("%d skills, %d say that the rest was left out", len(all), off)
	}
	deep := fstest.MapFS{"1/2/3/4/5/6/SKILL.md": {Data: []byte(probe)}, "1/2/3/4/5/6/7/SKILL.md": {Data: []byte(probe)}, ".git/x/SKILL.md": {Data: []byte(probe)}}
	if all := Discover([]Root{{Name: "workspace", FS: deep, At: "skills/"}}, everywhere, nil); len(all) != 1 {
		t.Errorf("%+v", all)
	}
	missing := Root{Name: "state", FS: fstest.MapFS{}, At: "/none"}
	if all := Discover([]Root{missing}, everywhere, nil); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// TestBundledSkillsAreSound holds for each skill that ships: it parses, needs
// nothing that a fresh board lacks, and is short enough to be read whole.
func TestBundledSkillsAreSound(t *testing.T) {
	all := Discover([]Root{{Name: "bundled", FS: Bundled(), At: "bundled:"}}, Place{OS: "linux"}, nil)
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
		data, err := fs.ReadFile(Bundled(), strings.TrimPrefix(s.Location, "bundled:"))
		if err != nil || s.Off != "" || len(data) > 4000 || len(s.Description) > 160 {
			t.Errorf("%s: off %q, %d bytes, description %d, %v", s.Name, s.Off, len(data), len(s.Description), err)
		}
	}
	if d := cmp.Diff([]string{"board-bringup", "codec-notes", "log-summary"}, names); d != "" {
		t.Error(d)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{probe, "\uFEFF" + probe, utf16le(probe), "---\n---\n", "---\nname: &a [*a]\n---\n", "---\n<<: x\n---\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parse(data)
		if err == nil && (!validName().MatchString(s.Name) || s.Description == "" || strings.ContainsAny(s.Description, "\n\r")) {
			t.Errorf("%q gave %+v", data, s)
		}
	})
}
