package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const ratePolicy = `version = 1
[[file]]
root = "workspace"
ops = ["read"]
why = "w"

[[exec]]
argv = ["beep", "{word?}"]
rate = "3/1h"
why = "w"

[[exec]]
argv = ["true"]
why = "w"
`

// One action counts for as often as it runs the rule's program; how often it is has
// to be known.
func TestRateCountsWithinOneAction(t *testing.T) {
	p, err := Parse("p.toml", []byte(ratePolicy))
	if err != nil {
		t.Fatal(err)
	}
	ago := func(d time.Duration) time.Time { return time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC).Add(-d) }
	for _, tt := range []struct {
		script string
		before []time.Time
		want   map[string]int // nil: denied
		reason string
	}{
		{"beep", nil, map[string]int{"exec.beep": 1}, ""},
		{"true", nil, nil, ""},
		{"beep; beep", nil, map[string]int{"exec.beep": 2}, ""},
		{"beep; beep; beep; beep", nil, nil, "this would use exec.beep 4 times"},
		{"beep; beep", []time.Time{ago(time.Minute), ago(2 * time.Minute)}, nil, "1 are left"},
		{"beep", []time.Time{ago(time.Minute), ago(2 * time.Minute)}, map[string]int{"exec.beep": 1}, ""},
		{"beep", []time.Time{ago(time.Minute), ago(2 * time.Minute), ago(59 * time.Minute)}, nil, "was used 3 times"},
		{"beep; beep; beep", []time.Time{ago(time.Hour), ago(2 * time.Hour)}, map[string]int{"exec.beep": 3}, ""},
		{"beep", []time.Time{ago(-time.Hour), ago(-time.Hour), ago(-2 * time.Hour)}, nil, "was used 3 times"}, // the clock went back
		{"for x in a b c; do beep; done", nil, map[string]int{"exec.beep": 3}, ""},
		{`for x in a b c; do beep "$x"; done`, nil, nil, "this would use exec.beep"}, // each value in each round: too many, never too few
		{"for x in a b c d; do beep; done", nil, nil, "this would use exec.beep 4 times"},
		{"for x in a b; do for y in a b; do beep; done; done", nil, nil, "this would use exec.beep 4 times"},
		{"for x in a b; do sh -c 'beep; beep'; done", nil, nil, "this would use exec.beep 4 times"},
		{"while true; do beep; done", nil, nil, "how often this would use it is not known"},
		{"while beep; do true; done", nil, nil, "how often this would use it is not known"},
		{"true | xargs -I X beep", nil, nil, "is not known"},
		{"true | xargs -I X sh -c beep", nil, nil, "is not known"},
		{"find . -exec beep ';'", nil, nil, "is not known"},
	} {
		w := labWorld()
		w.used = map[string][]time.Time{"exec.beep": tt.before}
		d := w.decide(t, p, scriptAction(tt.script))
		if tt.want == nil && tt.reason == "" {
			if len(d.Counts) > 0 {
				t.Errorf("%s counts %v", tt.script, d.Counts)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, d.Counts); diff != "" || (tt.want == nil) != (d.Verdict == Deny) {
			t.Errorf("%s is %s (%s): %s", tt.script, d.Verdict, d.Reason, diff)
		}
		if d.Verdict == Deny && !strings.Contains(reasons(t, w, p, scriptAction(tt.script)), tt.reason) {
			t.Errorf("%s: %s, want %q", tt.script, d.Reason, tt.reason)
		}
	}
}

// A rate can't be larger than what is kept of its uses.
func TestRateHasBounds(t *testing.T) {
	for _, s := range []string{"1001/1h", "1/745h", "0/1h", "1/0s", "1/-1h", "x/1h", "1"} {
		if _, err := Parse("p.toml", []byte("version = 1\n[[exec]]\nargv = [\"a\"]\nwhy = \"w\"\nrate = \""+s+"\"\n")); err == nil || !strings.Contains(err.Error(), "is no rate") {
			t.Errorf("%s: %v", s, err)
		}
	}
}
