package model_test

import (
	"testing"

	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

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
