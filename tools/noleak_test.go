package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// questions keeps what it is asked.
type questions struct{ asked []tools.Question }

func (q *questions) Ask(_ context.Context, one tools.Question) (tools.Answer, error) {
	q.asked = append(q.asked, one)
	return tools.AnswerDeny, nil
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
		d.Policy.Judge = toolstest.Always(policy.Ask).Judge
		d.With(func(c *tools.Config) { c.Approver = asked })
		d.Launcher.Writes = []string{"\x00" + secret}
		got := d.Do(t, strings.TrimSpace(name), args)
		all, err := json.Marshal([]any{got, asked.asked, d.Auditor.Records})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(all), "s3c") || strings.Contains(string(all), "3t-zz") {
			t.Errorf("%s: %s", name, all)
		}
	}
	d := newDoor(t)
	d.Launcher.Writes = []string{"\x00" + secret}
	hex := "73 33 63 72 33 74"
	if got := d.Do(t, "exec", `{"argv":["cat","a"]}`); strings.Contains(got.Text, hex) {
		t.Error(got.Text)
	}
	d.File(t, "bin", "\x00"+secret)
	if got := d.Do(t, "read", `{"path":"bin"}`); strings.Contains(got.Text, hex) {
		t.Error(got.Text)
	}
}
