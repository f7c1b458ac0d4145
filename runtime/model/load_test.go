package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

func TestLoad_SendsNoMessageAndTheSameOptions(t *testing.T) {
	s := modeltest.Fake(t)
	if err := client(t, s).Load(t.Context(), modeltest.DefaultModel, 8192); err != nil {
		t.Fatal(err)
	}
	want := `{"model":"qwen3:4b","messages":[],"stream":true,"keep_alive":"30m0s","options":{"num_ctx":8192,"num_predict":1},"truncate":false,"shift":false}`
	if d := cmp.Diff(want, string(s.Bodies("/api/chat")[0])); d != "" {
		t.Errorf("body (-want +got):\n%s", d)
	}
}

func TestRender_GivesThePromptAndRunsNothing(t *testing.T) {
	s := modeltest.Fake(t)
	got, err := client(t, s).Render(t.Context(), ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"role":"system","content":"You are in a lab."},{"role":"user","content":"hi"}]`
	if got != want {
		t.Errorf("rendered %q, want %q", got, want)
	}
	s.Script(modeltest.Text("a server that ignores the flag"))
	s.Become(modeltest.Text("a server that ignores the flag"))
	if _, err := client(t, s).Render(t.Context(), ask("hi")); code(t, err) != model.Server {
		t.Errorf("error %v, want one that says that the server can't", err)
	}
}
