package runtime

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/prompt"
	"hardshell/runtime/session"
)

// What happened between two turns is told by the next one, once, though another
// process runs it; what can't be read is told as that.
func TestWhatIsDueOutlivesTheProcess(t *testing.T) {
	l := newLab(t, nil, say("a"), say("b"), say("c"), say("d"))
	l.ask("one")
	for _, code := range []string{"compacted", "other"} {
		if err := prompt.Postpone(mustSession(l, session.Main), []event.Notice{{Code: code, Message: "x"}}); err != nil {
			t.Fatal(err)
		}
	}
	l.agent = New(l.agent.cfg)
	l.ask("two")
	if d := cmp.Diff([]string{"compacted", "other"}, l.warnings()); d != "" {
		t.Error(d)
	}
	l.ask("three")
	if w := l.warnings(); len(w) != 0 {
		t.Errorf("told twice: %v", w)
	}
	if err := mustSession(l, session.Main).Keep("later", "{"); err != nil {
		t.Fatal(err)
	}
	l.ask("four")
	if d := cmp.Diff([]string{"damaged"}, l.warnings()); d != "" {
		t.Error(d)
	}
}

// A silence is one also when the process ended meanwhile, or let go of the session.
func TestASilenceOutlivesMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, func(c *Config) { c.Zone = time.UTC }, say("a"), say("b"), say("c"), say("d"))
		tells := func(want bool) {
			t.Helper()
			l.ask("x")
			if got := strings.Contains(l.lastUser(), "Time: "); got != want {
				t.Errorf("told %v, want %v: %q", got, want, l.lastUser())
			}
		}
		tells(false)
		time.Sleep(time.Hour)
		l.agent = New(l.agent.cfg)
		tells(true)
		time.Sleep(time.Hour)
		for i := range 2 * openSessions {
			mustSession(l, fmt.Sprintf("s%d", i))
		}
		tells(true)
		l.agent = New(l.agent.cfg)
		tells(false)
	})
}
