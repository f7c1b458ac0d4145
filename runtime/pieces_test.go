package runtime

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
)

func TestAskCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  Ask
		code string
		says []string // pieces of message and hint
	}{
		{"plain", Ask{Text: "how hot is it?"}, "", nil},
		{"zero", Ask{}, "empty_question", []string{"empty", "agent ask"}},
		{"blank", Ask{Text: " \n\t"}, "empty_question", []string{"empty"}},
		{"longest", Ask{Text: strings.Repeat("x", 64)}, "", nil},
		{"too long", Ask{Text: strings.Repeat("x", 65)}, "question_too_long", []string{"65 bytes", "turn.max_question allows 64", "config.toml"}},
		{"latin1", Ask{Text: "gr\xfc\xdf"}, "not_utf8", []string{"byte at 2", "UTF-8"}},
		{"zero byte", Ask{Text: "a\x00b"}, "not_text", []string{"zero byte"}},
		{"named session", Ask{Text: "x", Session: "session:rig-2"}, "", nil},
		{"path as session", Ask{Text: "x", Session: "../x"}, "bad_session", []string{"../x"}},
		{"control in session", Ask{Text: "x", Session: "a\nb"}, "bad_session", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.ask.Check(64)
			if p == nil {
				p = &event.Problem{}
			}
			if p.Code != c.code {
				t.Fatalf("code %q, want %q", p.Code, c.code)
			}
			for _, s := range c.says {
				if !strings.Contains(p.Message+"\n"+p.Hint, s) {
					t.Errorf("%q is missing in %q, %q", s, p.Message, p.Hint)
				}
			}
		})
	}
}

func TestCase016_RepeatsAreCounted(t *testing.T) {
	r := newRepeats()
	in := r.input("exec", []byte(`{"argv":["id"]}`))
	var counts []int
	for !r.blocked(in) {
		counts = append(counts, r.saw(in, "uid=0"))
	}
	if d := cmp.Diff([]int{1, 2, 3, 4, 5}, counts); d != "" {
		t.Error("stopped at the sixth:", d)
	}
	if r.blocked(r.input("exec", []byte(`{"argv":["uptime"]}`))) {
		t.Error("another call is blocked too")
	}
	if r.input("ab", []byte("c")) == r.input("a", []byte("bc")) {
		t.Error("two different calls have one identity")
	}
}

func TestCase017_PollingIsNoLoop(t *testing.T) {
	r := newRepeats()
	in := r.input("gpio", []byte(`{"action":"read","line":"J7"}`))
	for i := range 40 { // a value that changes every fourth time is worth waiting for
		if r.blocked(in) {
			t.Fatalf("blocked at read %d", i+1)
		}
		r.saw(in, []string{"0", "0", "0", "1"}[i%4])
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
		if got := claimsAct(text); got != want {
			t.Errorf("claimsAct(%q) = %v", text, got)
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
		if got := promisesReminder(text); got != want {
			t.Errorf("promisesReminder(%q) = %v", text, got)
		}
	}
}

func TestHolder(t *testing.T) {
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
			h := &holder{out: func(s string) { out.WriteString(s) }}
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
	h := &holder{out: func(s string) { t.Errorf("a call was shown: %q", s) }}
	h.write(`{"name":"exec"}`)
	h.drop()
	h.release()
}
