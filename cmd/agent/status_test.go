package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime"
	"hardshell/runtime/warm"
)

func TestCacheRows(t *testing.T) {
	for _, c := range []struct {
		st   runtime.AgentStatus
		want [][]string
	}{
		{runtime.AgentStatus{}, nil},
		{runtime.AgentStatus{Slots: warm.Slots{Count: 2, Why: "all stayed"}}, [][]string{{"slots", "2: all stayed"}}},
		{runtime.AgentStatus{Slots: warm.Slots{Why: "nobody says"}, Spared: "hot"}, [][]string{{"slots", "not known: nobody says"}, {"no warm-up", "hot"}}},
	} {
		if d := cmp.Diff(c.want, cacheRows(c.st)); d != "" {
			t.Error(d)
		}
	}
}
