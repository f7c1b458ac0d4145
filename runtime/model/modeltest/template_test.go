package modeltest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model/modeltest"
)

// TestServer_RendersByTheModelsTemplate shows prompts as Ollama's engine makes
// them, also those of a model that was made of another one.
func TestServer_RendersByTheModelsTemplate(t *testing.T) {
	s := modeltest.Fake(t)
	s.SetModels(
		modeltest.Model{Name: "lab", Template: `{{ range .Messages }}[{{ .Role }}]{{ .Content }}{{ end }}{{ range .Tools }}({{ .Function.Name }}){{ end }}`, Renderer: "own"},
		modeltest.Model{Name: "bad", Template: `{{ .Messages`},
	)
	h := s.HTTP()
	const array = `"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object","properties":{}}}}],`
	ask := func(model, tools string) string {
		return `{"model":"` + model + `","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}],` + tools + `"_debug_render_only":true}`
	}
	var got []string
	for _, step := range [][2]string{
		{"/api/chat", ask("lab", array)},
		{"/api/chat", ask("bad", "")},
		{"/api/show", `{"model":"lab"}`},
		{"/api/create", `{"model":"kid","from":"lab","template":"{{ range .Messages }}<{{ .Content }}>{{ end }}"}`},
		{"/api/create", `{"model":"kid","from":"lab","template":"{{ range .Messages }}/{{ .Content }}{{ end }}"}`},
		{"/api/create", `{"model":"kid","from":"nobody","template":"x"}`},
		{"/api/chat", ask("kid", "")},
		{"/api/chat", ask("kid", array)},
		{"/api/tags", ""},
	} {
		_, text := send(t, h, "http://x"+step[0], step[1])
		got = append(got, text)
	}
	for i, want := range []string{
		`"rendered_template":"[system]s[user]u(read)"`, `"rendered_template":"modeltest: `, `"renderer":"own"`, `{"status":"success"}`, `{"status":"success"}`,
		`not found`, `"rendered_template":"/s/u"`, `does not support tools`, `"name":"kid"`,
	} {
		if !strings.Contains(got[i], want) {
			t.Errorf("step %d: no %s in\n%s", i, want, got[i])
		}
	}
	if d := cmp.Diff(1, strings.Count(got[8], `"name":"kid"`)); d != "" {
		t.Errorf("made twice: %s", d)
	}
}
