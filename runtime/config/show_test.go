package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

var update = flag.Bool("update", false, "write golden files and the reference page anew")

// golden compares a text with a file under testdata, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (go test ./runtime/config -update writes it anew): %s", path, d)
	}
}

func TestEveryFieldIsTold(t *testing.T) {
	def := reflect.ValueOf(Default())
	seen := map[string]bool{}
	for _, f := range Fields() {
		if f.Doc == "" || seen[f.Key] {
			t.Errorf("%s: no doc, or twice", f.Key)
		}
		seen[f.Key] = true
		number := f.over == "" && strings.Contains("a whole number, a number, a time span, an amount of data", f.inWords())
		if f.over == "" && number != (f.Min != "" && f.Max != "") {
			t.Errorf("%s is %s with bounds %q to %q", f.Key, f.inWords(), f.Min, f.Max)
		}
		if number && f.bound(f.Min) >= f.bound(f.Max) {
			t.Errorf("%s: %s is not below %s", f.Key, f.Min, f.Max)
		}
		if _, inList := listed(f.section()); !inList {
			if err := f.check(def); err != nil {
				t.Errorf("default of %s %v", f.Key, err)
			}
		}
	}
	for old := range retired {
		if seen[old] {
			t.Errorf("%s is retired and in use", old)
		}
	}
}

// TestSchemaTakesDefaults holds that the schema accepts what the code accepts:
// every default, written as a file.
func TestSchemaTakesDefaults(t *testing.T) {
	c := want(func(c *Config) {
		share, on := 0.5, true
		c.Agents = []Agent{{ID: "a", WindowShare: &share, ReplyTags: &on, TimeFormat: "12h"}, {ID: "b"}}
		c.Hooks = []Hook{{Name: "h", On: hookTurn, Command: []string{"/bin/x"}, Timeout: hookTimeout, Output: hookOutput}}
	})
	var values map[string]any
	if err := toml.Unmarshal([]byte(c.TOML()), &values); err != nil {
		t.Fatal(err)
	}
	rs, err := Schema().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := rs.Validate(values); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]map[string]any{
		"unknown key":     {"model": map[string]any{"nane": "x"}},
		"unknown section": {"modle": map[string]any{}},
		"range":           {"turn": map[string]any{"max_steps": 0.0}},
		"enum":            {"board": "pi"},
		"agent":           {"agent": []any{map[string]any{"model": "x"}}},
		"agent's range":   {"agent": []any{map[string]any{"id": "x", "bootstrap_max_chars": 1.0}}},
		"hook":            {"hook": []any{map[string]any{"name": "x", "on": hookTurn}}},
		"hook's event":    {"hook": []any{map[string]any{"name": "x", "on": "later", "command": []any{"/x"}}}},
	} {
		if rs.Validate(bad) == nil {
			t.Errorf("the schema accepts %s: %v", name, bad)
		}
	}
}

func TestSchemaGolden(t *testing.T) {
	b, err := json.MarshalIndent(Schema(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/schema.json", string(b)+"\n")
}

func TestShowGolden(t *testing.T) {
	c, err := loadText("board = \"sim\"\n[model]\ntemperature = 1\n[secrets]\nvalues = [\"s3cret-value\", \"other-secret\"]\nnames = [\"A\\\"B\"]\n[[agent]]\nid = \"x\"\nmodel = \"m\"\nskills = []\nreply_tags = true\nmax_skills_prompt_chars = 900\n[[hook]]\nname = \"bench\"\non = \"before_prompt_build\"\ncommand = [\"/usr/bin/bench\", \"--short\"]\n")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/show.toml", c.TOML())
	b, err := json.MarshalIndent(map[string]any{"values": c.Values(), "from": c.Origins()}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/show.json", string(b)+"\n")
	if strings.Contains(c.TOML()+string(b), "s3cret") {
		t.Error("a secret is shown")
	}
}

// reference is the table of docs/config.md between its two marks.
func reference() string {
	var b strings.Builder
	def := reflect.ValueOf(Default())
	b.WriteString("| key | value | default | range | environment, flag | meaning |\n|---|---|---|---|---|---|\n")
	for _, f := range Fields() {
		val := "unset"
		if _, inList := listed(f.section()); !inList {
			if s := f.shown(f.of(def)); s != nil {
				val = literal(s)
			}
		}
		bounds := ""
		if f.Min != "" {
			bounds = f.Min + " to " + f.Max
		} else if len(f.Enum) > 0 {
			bounds = strings.Join(f.Enum, ", ")
		}
		outside := f.Env
		if f.Flag != "" {
			outside += ", `--" + f.Flag + "`"
		}
		doc := f.Doc
		if f.Guarded {
			doc += "; guarded"
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s | %s |\n", f.Key, f.inWords(), val, bounds, outside, doc)
	}
	return b.String()
}

// TestReferencePage holds docs/config.md to the struct tags.
func TestReferencePage(t *testing.T) {
	const page, begin, end = "../../docs/config.md", "<!-- keys -->\n", "<!-- end of keys -->"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := bytes.Cut(b, []byte(begin))
	_, tail, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		t.Fatalf("%s has lost its marks %q and %q", page, begin, end)
	}
	golden(t, page, string(head)+begin+reference()+end+string(tail))
}

func ExampleLoad() {
	c, err := Load(Sources{
		Path: "config.toml", Dir: "/lab", Flags: map[string]string{"board": "sim"},
		Getenv:   func(k string) string { return map[string]string{"HOME": "/home/eng"}[k] },
		ReadFile: func(string) ([]byte, error) { return []byte("[model]\nkeep_alive = \"2h\"\n"), nil },
	})
	fmt.Println(c.Board, c.Model.KeepAlive, c.From["model.keep_alive"], err)
	// Output: sim 2h line 2 <nil>
}
