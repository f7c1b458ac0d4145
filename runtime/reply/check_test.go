package reply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCase016_RepeatsAreCounted(t *testing.T) {
	r := NewRepeats()
	in := Identity("exec", []byte(`{"argv":["id"]}`))
	var counts []int
	for !r.Blocked(in) {
		counts = append(counts, r.Saw(in, "uid=0"))
	}
	if d := cmp.Diff([]int{1, 2}, counts); d != "" {
		t.Error("stopped at the third:", d)
	}
	if r.Blocked(Identity("exec", []byte(`{"argv":["uptime"]}`))) {
		t.Error("another call is blocked too")
	}
	if Identity("ab", []byte("c")) == Identity("a", []byte("bc")) {
		t.Error("two different calls have one identity")
	}
}

func TestCase017_PollingIsNoLoop(t *testing.T) {
	r := NewRepeats()
	in := Identity("gpio", []byte(`{"action":"read","line":"J7"}`))
	for i := range 40 { // a value that moves every other time is worth waiting for
		if n := r.Saw(in, []string{"0", "0", "1", "1"}[i%4]); n >= repeatRefuse {
			t.Fatalf("read %d counts as number %d", i+1, n)
		}
	}
}

func TestClaimsAct(t *testing.T) {
	for text, want := range map[string]bool{
		"Done, answer.txt now holds 42.":                       true,
		"done":                                                 true,
		"I have written 42 to answer.txt.":                     true,
		"I've set the pin.":                                    true,
		"I wrote the file.":                                    true,
		"Sure. I turned the relay on.":                         true,
		"The file has been created.":                           true,
		"The log was written by rig 2 at noon.":                false,
		"To write it, call the tool.":                          false,
		"I can't write there.":                                 false,
		"You have set the pin yourself.":                       false,
		"When you are done, tell me.":                          false,
		"The fan runs at 1200 rpm.":                            false,
		"I did not write anything.":                            false,
		"The manual says that the file has a head and a tail.": false,
	} {
		if got := Claims(text); got != want {
			t.Errorf("Claims(%q) = %v", text, got)
		}
	}
}

func TestPromisesReminder(t *testing.T) {
	for text, want := range map[string]bool{
		"Sure, I'll remind you in 20 minutes.":              true,
		"I will remind you at 15:00.":                       true,
		"OK. I'm going to set a timer for the oven.":        true,
		"I've set a reminder for tomorrow.":                 true,
		"Your reminder is set.":                             true,
		"I'll notify you tomorrow.":                         true,
		"I'll notify you when p1 ends.":                     false,
		"I can't remind you: nothing runs after my answer.": false,
		"Remind me of the oven, you said.":                  false,
		"The timer of the oven shows 20 minutes.":           false,
		"No reminder is set.":                               false,
		"notes.md says \"remind Eva to order fuses\".":      false,
	} {
		if got := Promises(text); got != want {
			t.Errorf("Promises(%q) = %v", text, got)
		}
	}
}

func TestHold(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces []string
		during string // shown while it streams
		after  string // shown when it was prose after all
	}{
		{"prose passes at once", []string{"The ", "fan"}, "The fan", "The fan"},
		{"blanks wait", []string{" \n", " The"}, " \n The", " \n The"},
		{"json waits", []string{`{"name"`, `:"exec"}`}, "", `{"name":"exec"}`},
		{"tag waits", []string{"\n<tool", "_call>x"}, "", "\n<tool_call>x"},
		{"fence waits", []string{"```json\n{}"}, "", "```json\n{}"},
		{"list waits", []string{"[exec(", ")]"}, "", "[exec()]"},
		{"brace later is prose", []string{"Use ", "{x}"}, "Use {x}", "Use {x}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			h := &holdFilter{out: func(s string) { out.WriteString(s) }}
			for _, p := range c.pieces {
				h.write(p)
			}
			if out.String() != c.during {
				t.Errorf("while streaming %q, want %q", out.String(), c.during)
			}
			h.release()
			if out.String() != c.after {
				t.Errorf("released %q, want %q", out.String(), c.after)
			}
		})
	}
	h := &holdFilter{out: func(s string) { t.Errorf("a call was shown: %q", s) }}
	h.write(`{"name":"exec"}`)
	h.drop()
	h.release()
}

// TestWaitingForNewsIsNoLoop: after a call that waited, the same look is new again.
func TestWaitingForNewsIsNoLoop(t *testing.T) {
	r := NewRepeats()
	in := Identity("read", []byte(`{"path":"log"}`))
	for range repeatRefuse - 1 {
		r.Saw(in, "same")
	}
	if !r.Blocked(in) {
		t.Fatal("not blocked")
	}
	r.Forget()
	if n := r.Saw(in, "same"); r.Blocked(in) || n != 1 {
		t.Errorf("counted %d", n)
	}
}
