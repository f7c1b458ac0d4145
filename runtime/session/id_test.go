package session

import "testing"

func TestSessionIDs(t *testing.T) {
	for _, c := range []struct{ agent, name, id string }{
		{"", "", "main"}, {"main", "", "main"}, {"main", "rig", "rig"}, {"night", "", "night/main"}, {"night", "rig", "night/rig"},
	} {
		if got := Of(c.agent, c.name); got != c.id {
			t.Errorf("Of(%q, %q) = %q, want %q", c.agent, c.name, got, c.id)
		}
		agent, name := Owner(c.id)
		if got := Of(agent, name); got != c.id {
			t.Errorf("%q belongs to %q as %q, which is %q", c.id, agent, name, got)
		}
	}
	if agent, name := Owner(""); agent != "main" || name != "main" {
		t.Errorf("no session: %q of %q", name, agent)
	}
	for id, want := range map[string]bool{
		"night/rig": true, "night/": false, "/rig": false, "../rig": false, "a/b/c": false, "night/a b": false, "n\n/a": false,
	} {
		if ValidID(id) != want {
			t.Errorf("%q: valid is not %v", id, want)
		}
	}
}
