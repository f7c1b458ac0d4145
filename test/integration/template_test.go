package integration

import (
	"os"
	"testing"

	"hardshell/runtime/model"
	"hardshell/runtime/model/template"
)

// TestTemplateCheckAndFix holds what package template says of a template against
// a real server: a template that moves the tools into the last question, two that
// think and one without tools that moves the system text are found, and the sibling
// that Fix makes keeps its cache. The last is safe already and stays alone.
func TestTemplateCheckAndFix(t *testing.T) {
	l := theLab(t)
	client, err := model.New(model.Config{Host: l.Host})
	if err != nil {
		t.Fatal(err)
	}
	const dir = "../../runtime/model/template/"
	for _, c := range []struct {
		name, file string
		safe       bool
	}{
		{"check-llama:lab", "testdata/tools-in-last-user.tmpl", false},
		{"check-thinking:lab", "testdata/thinking.tmpl", false},
		{"check-switch:lab", "testdata/switch.tmpl", false},
		{"check-plain:lab", "testdata/first-user.tmpl", false},
		{"check-chatml:lab", "safe/chatml.tmpl", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := os.ReadFile(dir + c.file)
			if err != nil {
				t.Fatal(err)
			}
			if err := client.Derive(within(t), c.name, "hardshell-scripted", string(text)); err != nil {
				t.Fatal(err)
			}
			own, err := client.Show(within(t), c.name)
			if err != nil {
				t.Fatal(err)
			}
			rep, err := template.Check(within(t), client, template.Like(own, 4096, "off"))
			if err != nil {
				t.Fatal(err)
			}
			if rep.Safe != c.safe || !rep.Tools {
				t.Fatalf("safe %v, tools shown %v\n%+v", rep.Safe, rep.Tools, rep.Steps)
			}
			fixed, err := template.Fix(within(t), client, c.name, 4096, "off")
			if c.safe {
				if err == nil {
					t.Errorf("a safe template was fixed: %+v", fixed)
				}
				return
			}
			if err != nil || !fixed.After.Safe || fixed.Model != c.name+"-cachesafe" {
				t.Errorf("%+v, %v", fixed, err)
			}
			info, err := client.Show(within(t), fixed.Model)
			if err != nil || info.Can("tools") != own.Can("tools") {
				t.Errorf("the sibling takes calls on another road: %v, %v", info.Capabilities, err)
			}
		})
	}
}
