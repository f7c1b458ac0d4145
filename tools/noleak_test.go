package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"hardshell/policy"
)

// questions keeps what it is asked.
type questions struct{ asked []Question }

func (q *questions) Ask(_ context.Context, one Question) (Answer, error) {
	q.asked = append(q.asked, one)
	return AnswerDeny, nil
}

// TestDoorShowsNoSecret: whoever calls, nothing that comes back, is asked or is put on
// record holds a value or a part of it.
func TestDoorShowsNoSecret(t *testing.T) {
	const secret = "s3cr3t-zz"
	long := strings.Repeat("x", 34) + secret // quotations are cut behind 40 bytes
	for name, args := range map[string]string{
		"read":               `{"path":"a","offset":"` + long + `"}`,
		"edit":               `{"path":"a","old":"b","new":"c","` + long + `":1}`,
		"write":              `{"path":"` + secret + `","content":"` + secret + `"}`,
		"exec":               `{"argv":["echo","` + secret + `"],"env":{"` + long + `=":"x"},"stdin":"` + secret + `"}`,
		"exec ":              `{"argv":["echo","` + secret + `"],"env":{"A":"` + secret + `"},"stdin":"` + secret + `"}`,
		"unknown" + long[6:]: `{}`,
	} {
		d, asked := newDoor(t), &questions{}
		d.policy, d.cfg.Approver = always(policy.Ask), asked
		d.launcher.writes = []string{"\x00" + secret}
		got := d.call(t, strings.TrimSpace(name), args)
		all, err := json.Marshal([]any{got, asked.asked, d.auditor.records})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(all), "s3c") || strings.Contains(string(all), "3t-zz") {
			t.Errorf("%s: %s", name, all)
		}
	}
	d := newDoor(t)
	d.launcher.writes = []string{"\x00" + secret}
	hex := "73 33 63 72 33 74"
	if got := d.call(t, "exec", `{"argv":["cat","a"]}`); strings.Contains(got.Text, hex) {
		t.Error(got.Text)
	}
	d.file(t, "bin", "\x00"+secret)
	if got := d.call(t, "read", `{"path":"bin"}`); strings.Contains(got.Text, hex) {
		t.Error(got.Text)
	}
}
