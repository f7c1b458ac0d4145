package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

// TestWindowOfALoadedModel holds that a look at a model asks for the window that
// it is loaded with, so that the server does not load it anew under a
// conversation; one that is not loaded gets the agent's.
func TestWindowOfALoadedModel(t *testing.T) {
	s := modeltest.Fake(t)
	client, err := model.New(model.Config{Host: "x", HTTP: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	s.SetRunning(`{"models":[{"name":"other:1b","model":"other:1b","context_length":512},{"name":"lab:latest","model":"lab:latest","context_length":3000}]}`)
	var got []int
	for _, name := range []string{"lab", "lab:latest", "lab:1b"} {
		got = append(got, windowOf(t.Context(), client, model.Choice{Info: model.Info{Name: name}, NumCtx: 2048}))
	}
	s.Become(modeltest.Fail(500, "no"))
	got = append(got, windowOf(t.Context(), client, model.Choice{Info: model.Info{Name: "lab"}, NumCtx: 2048}))
	if d := cmp.Diff([]int{3000, 3000, 2048, 2048}, got); d != "" {
		t.Error(d)
	}
}
