package labday

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/test/ollama"
	"hardshell/test/scripted"
)

// twoDays are a small day, ours and with habits.
func twoDays() (ours, peers []Request) {
	at := func(clock string) time.Time {
		return step{clock: clock}.at()
	}
	ours = []Request{
		{At: at("09:01"), Kind: "seed", Prompt: 1000, New: 1000, Evaluated: 1000},
		{At: at("09:01"), Kind: "warm-up", Sub: true, Slot: 1, Prompt: 500, New: 500, Evaluated: 500},
		{At: at("09:02"), Kind: "chat", Prompt: 1050, New: 51, Evaluated: 61},
		{At: at("09:02"), Kind: "chat", Prompt: 1100, New: 51, Evaluated: 51},
		{At: at("09:07"), Kind: "cron", Prompt: 1160, New: 61, Evaluated: 70},
	}
	peers = []Request{
		{At: at("09:02"), Kind: "chat", Prompt: 1100, New: 1100, Evaluated: 1100},
		{At: at("09:02"), Kind: "chat", Prompt: 1150, New: 51, Evaluated: 51},
		{At: at("09:07"), Kind: "cron", Prompt: 1210, New: 61, Evaluated: 710},
	}
	return ours, peers
}

func TestSumAndExtras(t *testing.T) {
	ours, peers := twoDays()
	if d := cmp.Diff([]Total{{4, 1163, 1182}, {1, 500, 500}, {3, 1212, 1861}}, []Total{Sum(ours, false), Sum(ours, true), Sum(peers, false)}); d != "" {
		t.Error(d)
	}
	want := map[int]Extra{2: {10, "the template ends a warm-up with the header of a reply; a message came in its place"}, 4: {Tokens: 9}}
	if d := cmp.Diff(want, Extras(ours)); d != "" {
		t.Error(d)
	}
}

func TestSectionAndRewrite(t *testing.T) {
	ours, peers := twoDays()
	section := Section(ours, peers, "2026-11-30")
	for _, want := range []string{
		"| hardshell | 4 | 1163 | 1182 | 1.016 |", "| 3 | 1212 | 1861 | 1.5 |",
		"- 10 tokens in 1 requests: the template ends a warm-up", "- 9 tokens in 1 requests: ",
		"| 2 | Mon 09:01 | seed of the sub-agent's slot | 1 | 500 |  | 500 |  |", "| 5 | Mon 09:07 | cron | 0 | 1160 | 61 | 70 | 710 |",
	} {
		if !strings.Contains(section, want) {
			t.Errorf("the section lacks %q:\n%s", want, section)
		}
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n"+opening+"\nold\n"+closing+"\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second run changes nothing
		if err := Rewrite(page, section); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff("before\n"+section+"\nafter\n", string(got)); d != "" {
			t.Error(d)
		}
	}
	if err := os.WriteFile(page, []byte("nothing here"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Rewrite(page, section); err == nil || !strings.Contains(err.Error(), "has no place for the lab day") {
		t.Errorf("%v", err)
	}
}

// The picture is well-formed, has a bar for each turn in both days and no empty word.
func TestPlot(t *testing.T) {
	ours, peers := twoDays()
	svg := Plot(ours, peers)
	count := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local == "class" {
					count[a.Value]++
				}
				if a.Value == "NaN" || strings.HasPrefix(a.Value, "-") && a.Name.Local != "transform" {
					t.Errorf("%s=%q", a.Name.Local, a.Value)
				}
			}
		}
	}
	// One of each is the key.
	if d := cmp.Diff(map[string]int{"title": 1, "grid": 2, "ours": 6, "theirs": 4}, count); d != "" {
		t.Error(d)
	}
	if !strings.Contains(svg, "prefers-color-scheme:dark") || !strings.Contains(svg, "09:07 cron") {
		t.Error("the picture lacks its dark colours or a label")
	}
}

// What the day promises: its kinds, its order in time, two dates, a line of the
// script for each text.
func TestSteps(t *testing.T) {
	kinds, script := map[string]int{}, scripted.Day()
	for i, s := range steps {
		kinds[s.kind]++
		if i > 0 && !s.at().After(steps[i-1].at()) {
			t.Errorf("%s %s is not after the step before", s.clock, s.kind)
		}
		if s.fed != (s.kind == "cron" || s.kind == "heartbeat") {
			t.Errorf("%s %s: fed by the harness: %v", s.clock, s.kind, s.fed)
		}
		known := s.kind == "wake" // its message is the context alone
		for _, scene := range script {
			known = known || scene.Ask != "" && strings.HasPrefix(s.text, scene.Ask)
		}
		if !known {
			t.Errorf("the script has no line for %q", s.text)
		}
	}
	if d := cmp.Diff(map[string]int{"chat": 12, "cron": 2, "heartbeat": 1, "wake": 1, "sub-agent": 1}, kinds); d != "" {
		t.Error(d)
	}
	if steps[0].day == steps[len(steps)-1].day {
		t.Error("the date never changes")
	}
}

// A prefix that moves ends the day, and a request without a line in the log does too.
func TestTapBites(t *testing.T) {
	q := model.Request{Messages: []message.Message{{Role: message.System, Text: "You are"}}, NumPredict: 1}
	tap := &Tap{clock: &Clock{}}
	if err := tap.compare(q, false); err != nil {
		t.Fatal(err)
	}
	sub := model.Request{Messages: []message.Message{{Role: message.System, Text: subMark}}}
	if err := tap.compare(sub, true); err != nil {
		t.Errorf("a sub-agent's prompt is its own: %v", err)
	}
	moved := q
	moved.Tools = []message.Offer{{Name: "x", Schema: []byte(`{"type":"object"}`)}}
	if err := tap.compare(moved, false); err == nil {
		t.Error("another tool array passed")
	}
	moved = model.Request{Messages: []message.Message{{Role: message.System, Text: "You are, at 09:02"}}}
	if err := tap.compare(moved, false); err == nil {
		t.Error("another system text passed")
	}
	if _, err := tap.Requests(); err == nil {
		t.Error("the day does not say that the prefix moved")
	}
}

// A request is found by its line in the log, which may come behind the reply, and no
// line counts for two.
func TestTapFindsRequests(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	first := `msg="loading cache slot" id=0 cache=0 prompt=100 used=0 remaining=100` + "\n"
	second := `msg="loading cache slot" id=0 cache=100 prompt=130 used=99 remaining=31` + "\n"
	write := func(text string) {
		if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
	write(first)
	synctest.Test(t, func(t *testing.T) {
		tap := &Tap{server: &ollama.Server{Log: log}, clock: &Clock{}}
		time.AfterFunc(time.Second, func() { write(first + second) })
		for _, n := range []int{100, 130} {
			if err := tap.note(t.Context(), Request{Kind: "chat"}, model.Usage{Prompt: n}); err != nil {
				t.Fatal(err)
			}
		}
		if err := tap.note(t.Context(), Request{Kind: "chat"}, model.Usage{Prompt: 130}); err == nil {
			t.Error("one line of the log counted for two requests")
		}
		got, err := tap.Requests()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]Request{{Kind: "chat", Prompt: 100, New: 100, Evaluated: 100}, {Kind: "chat", Prompt: 130, New: 31, Evaluated: 31}}, got); d != "" {
			t.Error(d)
		}
	})
}

func TestHabits(t *testing.T) {
	q := model.Request{Messages: []message.Message{{Role: message.System, Text: "You are"}, {Role: message.User, Text: "hi"}}}
	h := &Habits{}
	got := h.change(q, Request{Kind: "cron", At: steps[0].at()})
	if want := "You are\n\nThis is a scheduled run. Nobody is present.\n\nCurrent time: Monday, 30 November 2026, 09:02"; got.Messages[0].Text != want {
		t.Errorf("%q", got.Messages[0].Text)
	}
	if q.Messages[0].Text != "You are" {
		t.Error("the agent's own request was changed")
	}
}
