package runtime

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/assembly"
	"hardshell/runtime/store"
)

func TestSandboxFact(t *testing.T) {
	dir := t.TempDir()
	whole, weaker, none := &assembly.Confined{}, &assembly.Confined{Network: true}, &assembly.Confined{Note: "Commands can't run on this machine."}
	var got []string
	for _, box := range []*assembly.Confined{weaker, weaker, whole, none, nil, none, weaker} {
		st, err := store.Open(dir, store.Options{NoSync: true}) // each turn in an agent of its own
		if err != nil {
			t.Fatal(err)
		}
		l := newLab(t, func(c *Config) { c.Store, c.Confined = st.Sessions, box }, say("a"))
		l.ask("x")
		got = append(got, strings.TrimPrefix(l.lastUser(), "x"))
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fact := func(s string) string {
		return "\n\n<context>\nChanged since you were last told:\n- sandbox: " + s + "\n</context>"
	}
	want := []string{
		"", "", fact("commands run in a whole one again, without network"), fact("Commands can't run on this machine."), "", "",
		fact("commands run in a weaker one now, with network"),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
