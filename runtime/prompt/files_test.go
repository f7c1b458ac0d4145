package prompt

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/assembly"
	"hardshell/runtime/session"
)

func TestChangedFiles(t *testing.T) {
	frozen := []session.FrozenFile{{Name: "AGENTS.md", Hash: "aa"}, {Name: "GONE.md", Hash: "bb"}, {Name: "SOUL.md", Hash: "missing"}}
	now := []assembly.File{
		{Name: "AGENTS.md", Data: []byte("x")},
		{Name: "SOUL.md", Missing: true},
		{Name: "USER.md", Problem: "no right to"},
		{Name: "heartbeat.md", Data: []byte("changes as it likes")},
	}
	want := []assembly.Changed{
		{Name: "AGENTS.md", Frozen: "aa", Now: fileHash(now[0])},
		{Name: "USER.md", Frozen: "missing", Now: "unreadable"},
		{Name: "GONE.md", Frozen: "bb", Now: "missing"},
	}
	if d := cmp.Diff(want, changed(frozen, now)); d != "" {
		t.Error(d)
	}
}
