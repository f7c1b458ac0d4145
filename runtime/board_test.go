package runtime

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/prompt"
	"hardshell/runtime/store"
)

// toldOf runs one turn for each look at the board, each in an agent that was
// started anew on the same store where anew is set, and gives what each turn's
// message carried besides the words of the person.
func toldOf(t *testing.T, limit int, anew bool, looks ...prompt.Health) []string {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(dir, store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	var now prompt.Health
	wire := func(c *Config) {
		c.Store, c.HeatLimit = st.Sessions, limit
		c.Health = func(context.Context) prompt.Health { return now }
	}
	var steps []step
	for range looks {
		steps = append(steps, say("a"))
	}
	l := newLab(t, wire, steps...)
	var out []string
	for _, now = range looks {
		if anew {
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			if st, err = store.Open(dir, store.Options{NoSync: true}); err != nil {
				t.Fatal(err)
			}
			l = newLab(t, wire, say("a"))
		}
		l.ask("x")
		got := strings.TrimPrefix(l.lastUser(), "x")
		got = strings.TrimPrefix(got, "\n\n<context>\nChanged since you were last told:\n")
		out = append(out, strings.TrimSuffix(got, "\n</context>"))
	}
	l.checkPrefix()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBoardFacts(t *testing.T) {
	at := func(tj, cpu float64) prompt.Health {
		return prompt.Health{Temps: map[string]float64{"tj": tj, "cpu": cpu}}
	}
	mode := func(name string) prompt.Health { return prompt.Health{Mode: name} }
	count := func(n int64) prompt.Health {
		return prompt.Health{Counters: map[string]int64{"over-current-instant": n, "under-voltage": 4}}
	}
	const hot, over = "- heat: tj is above the soft limit of 80 °C", "- heat: over, the board is down to 75 °C or less"
	const alert = "- power alert: over-current-instant rose by "
	for name, c := range map[string]struct {
		limit int
		looks []prompt.Health
		want  []string
	}{
		"cool":                 {80, []prompt.Health{at(46, 45), at(80, 70)}, []string{"", ""}},
		"hot at once":          {80, []prompt.Health{at(80.5, 45)}, []string{hot}},
		"hysteresis":           {80, []prompt.Health{at(81, 45), at(79, 45), at(81, 45), at(75.5, 45), at(75, 75), at(79, 45), at(81, 45)}, []string{hot, "", "", "", over, "", hot}},
		"another is hot":       {80, []prompt.Health{at(81, 45), at(60, 82), at(60, 60)}, []string{hot, "", over}},
		"unknown is not cool":  {80, []prompt.Health{at(81, 45), {}, {Temps: map[string]float64{"cpu": 45}}, at(60, 45)}, []string{hot, "", "", over}},
		"no limit":             {0, []prompt.Health{at(110, 110), at(20, 20)}, []string{"", ""}},
		"mode":                 {80, []prompt.Health{mode("15W"), mode("25W"), mode("25W"), mode(""), mode("25W"), mode("15W")}, []string{"", "- power mode: 25W, until now 15W", "", "", "", "- power mode: 15W, until now 25W"}},
		"counter":              {80, []prompt.Health{count(3), count(3), count(5), {}, count(5), count(6)}, []string{"", "", alert + "2", "", "", alert + "1"}},
		"counter begins anew":  {80, []prompt.Health{count(3), count(2), count(0), count(1)}, []string{"", alert + "2", "", alert + "1"}},
		"counter comes late":   {80, []prompt.Health{{}, count(3), count(4)}, []string{"", "", alert + "1"}},
		"all of it, in order":  {80, []prompt.Health{{Mode: "15W", Counters: map[string]int64{"a": 0}}, {Mode: "25W", Temps: map[string]float64{"tj": 90}, Counters: map[string]int64{"a": 1}}}, []string{"", "- power mode: 25W, until now 15W\n" + hot + "\n- power alert: a rose by 1"}},
		"nothing known at all": {80, []prompt.Health{{}, {}}, []string{"", ""}},
	} {
		for _, anew := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", restarted"}[anew], func(t *testing.T) {
				if d := cmp.Diff(c.want, toldOf(t, c.limit, anew, c.looks...)); d != "" {
					t.Error(d)
				}
			})
		}
	}
}
