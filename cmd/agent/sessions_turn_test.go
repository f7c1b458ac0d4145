package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/assembly"
	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/session"
)

// TestMessageBytes holds that what is no part of the prompt is a message, the
// brackets and commas of the tool array aside.
func TestMessageBytes(t *testing.T) {
	for _, tt := range []struct {
		parts []assembly.Part
		bytes int
		want  int
	}{
		{nil, 40, 40},
		{[]assembly.Part{{Name: "identity", Used: 10}, {Name: "tools", Used: 5}}, 40, 25},
		{[]assembly.Part{{Name: "identity", Used: 10}, {Name: "tool read", Used: 5}}, 40, 23},
		{[]assembly.Part{{Name: "tool read", Used: 5}, {Name: "tool exec", Used: 5}}, 40, 27},
	} {
		if d := cmp.Diff(tt.want, messageBytes(runtime.Remarks{Parts: tt.parts}, runtime.RequestReport{Bytes: tt.bytes})); d != "" {
			t.Errorf("%+v: %s", tt.parts, d)
		}
	}
}

// TestServerTimes holds that times which the server did not tell are unknown.
func TestServerTimes(t *testing.T) {
	got := []string{serverTimes(event.Usage{}), serverTimes(event.Usage{Load: 1500, PromptEval: 20})}
	if d := cmp.Diff([]string{"times unknown", "loading 1.5s, reading 20 ms, writing 0 ms"}, got); d != "" {
		t.Error(d)
	}
}

// TestBadReport holds that a record whose report can't be read is told of, with
// the way to see it as it is; one without a report has none.
func TestBadReport(t *testing.T) {
	_, err := reportOf(session.TurnRecord{ID: "t3", Report: json.RawMessage(`[1]`)})
	if p, exit := judge(err); exit != exitFailed || p.Code != "bad_record" || p.Hint != "read it as it is with --json" {
		t.Error(err)
	}
	rep, err := reportOf(session.TurnRecord{})
	if d := cmp.Diff(runtime.Remarks{}, rep); d != "" || err != nil {
		t.Error(d, err)
	}
}

// TestFirstDifference says in words where a request broke.
func TestFirstDifference(t *testing.T) {
	var got []string
	for _, r := range []runtime.RequestReport{
		{Break: -1}, {Break: -1, Common: 9}, {Break: 7, Common: 7, Part: "end"}, {Break: 0, Part: "model"}, {Break: 7, Common: 7, Part: "message 3 (user)"},
	} {
		got = append(got, firstDifference(r))
	}
	if d := cmp.Diff([]string{
		"nothing was known to be held", "none, it only grew", "byte 7: it ends there, and what was held went on", "byte 0: another model or another window", "byte 7, in message 3 (user)",
	}, got); d != "" {
		t.Error(d)
	}
}
