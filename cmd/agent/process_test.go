package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy/audit"
	"hardshell/runtime/model/modeltest"
	"hardshell/tools/command"
)

// TestAPersonMindsTheCommandsOfADaemon lists, reads and ends a command of a
// conversation from another terminal: no request goes to the model for it, everything
// of the command dies, and the conversation is told.
func TestAPersonMindsTheCommandsOfADaemon(t *testing.T) {
	p := busy(t)
	long := fmt.Sprintf("933.%d", os.Getpid())
	p.daemon("serving")
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"script":"echo up; sleep ` + long + ` & sleep ` + long + `","yield_ms":500}`}))
	p.model.Script(modeltest.Text("It sleeps."))
	p.model.Script(modeltest.Text("So you ended it."))
	p.run("ask", "--session", "bench", "sleep")
	until(func() bool { return sleeping(t, long) == 2 })
	before := len(p.model.Bodies("/api/chat"))

	list := p.run("process", "list")
	if lines := strings.Split(list, "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], "p1  runs, at most 30m  ") || !strings.Contains(lines[1], "      3  bench         script ") {
		t.Errorf("the list:\n%s", list)
	}
	if text := p.run("process", "log", "p1"); text != "up\n" {
		t.Errorf("the log: %q", text)
	}
	if n := len(p.model.Bodies("/api/chat")); n != before {
		t.Errorf("looking cost %d requests", n-before)
	}
	if out := p.run("process", "kill", "p1"); !strings.HasPrefix(out, "p1 stopped: a person ended it (agent process kill), it and everything it started was ended") || !strings.Contains(out, ": script ") {
		t.Errorf("the end: %s", out)
	}
	if n := sleeping(t, long); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	if line := p.logs(`"msg":"woken"`); !strings.Contains(line, `"session":"bench"`) || !strings.Contains(line, "So you ended it.") {
		t.Errorf("the conversation is told: %s", line)
	}
	bodies := p.model.Bodies("/api/chat")
	if last := string(bodies[len(bodies)-1]); strings.Count(last, "stopped: a person ended it (agent process kill)") == 0 {
		t.Errorf("the model is told:\n%s", last)
	}
	var got struct{ Processes []command.ProcessRecord }
	if err := json.Unmarshal([]byte(p.run("process", "list", "--json")), &got); err != nil || len(got.Processes) != 1 || got.Processes[0].Runs() || !got.Processes[0].Failed {
		t.Errorf("%+v, %v", got, err)
	}
	var audit struct{ Records []audit.Line }
	if err := json.Unmarshal([]byte(p.run("audit", "tail", "--json")), &audit); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, r := range audit.Records {
		kinds = append(kinds, r.Kind+" "+r.Run+": "+strings.SplitN(r.Subject, " ", 3)[0])
	}
	if d := cmp.Diff([]string{"decision chat: script", "act chat: script", "decision person: kill", "note : p1"}, kinds); d != "" {
		t.Errorf("the audit (-want +got):\n%s", d)
	}
}

// TestChatMindsTheCommands does the same with /processes.
func TestChatMindsTheCommands(t *testing.T) {
	p := busy(t)
	p.begin("chat")
	p.sees(prompt)
	p.types("/processes\r")
	p.sees("▌ no command runs in the background, and none is known to have run")
	p.sees(prompt)
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"argv":["cat"],"background":true}`}))
	p.model.Script(modeltest.Text("It listens."))
	p.model.Script(modeltest.Text("It is over."))
	p.types("listen\r")
	p.sees("It listens.")
	p.sees(prompt)
	p.types("/processes\r")
	p.sees("p1  runs, at most 30m")
	p.sees(prompt)
	p.types("/processes log p1\r")
	p.sees("▌ p1 runs since")
	p.sees("no output")
	p.sees(prompt)
	p.types("/processes end p1\r")
	p.sees("try: /processes alone lists the commands in the background")
	p.sees(prompt)
	p.types("/processes kill p1\r")
	p.sees("p1 stopped: a person ended it (/processes kill)")
	p.sees("It is over.")
	p.sees(prompt)
	p.types("/quit\r")
	p.leaves(0)
}
