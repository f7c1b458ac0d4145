package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model/modeltest"
)

// TestDaemonLogsAnEndOnce: the turn that is woken logs what it has to notice, and the
// daemon, which watches that turn, logs how it ended and repeats nothing.
func TestDaemonLogsAnEndOnce(t *testing.T) {
	p := busy(t)
	open := p.gate()
	p.daemon("serving")
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"script":"` + untilOpen + `","background":true}`}))
	p.model.Script(modeltest.Text("It runs."))
	p.run("ask", "--session", "bench", "begin")
	p.model.Script(modeltest.Text("It is over."))
	open()
	var codes []string
	for p.log.Scan() {
		var line struct{ Msg, Code, Session, Turn, Answer string }
		if err := json.Unmarshal(p.log.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Msg == "notice" || line.Msg == "woken" {
			codes = append(codes, strings.Join([]string{line.Msg, line.Code, line.Session, line.Answer}, " "))
		}
		if line.Msg == "woken" {
			break
		}
	}
	if d := cmp.Diff([]string{"notice command_ended bench ", "woken  bench It is over."}, codes); d != "" {
		t.Errorf("log (-want +got):\n%s", d)
	}
}
