package runtime

import (
	"strings"
	"testing"

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
