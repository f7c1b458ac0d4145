package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hardshell/runtime/model/modeltest"
)

// busyPolicy lets a person's agent run what takes time.
const busyPolicy = `version = 1
name = "busy"

[[file]]
id = "workspace"
root = "workspace"
path = "**"
ops = ["read", "list", "write"]
why = "the desk"

[[exec]]
argv = ["sleep", "{word}"]
why = "waits"

[[exec]]
argv = ["cat"]
why = "says what it hears"

[[exec]]
argv = ["echo", "{word...}"]
why = "says something"
`

// busy gives a lab whose policy lets commands run for long.
func busy(t *testing.T) *person {
	t.Helper()
	p := newPerson(t)
	path := filepath.Join(filepath.Dir(p.state), "busy.toml")
	if err := os.WriteFile(path, []byte(busyPolicy), 0o644); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "HARDSHELL_POLICY="+path)
	return p
}

// TestEndOfACommandWakesTheChat starts a command, says nothing, and is told of its
// end by a turn that runs by itself, once.
func TestEndOfACommandWakesTheChat(t *testing.T) {
	p := busy(t)
	p.begin("chat")
	p.sees(prompt)
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"script":"sleep 0.3; echo oven is warm","background":true}`}))
	p.model.Script(modeltest.Text("It warms up."))
	p.model.Script(modeltest.Text("The oven is warm now."))
	p.types("warm the oven\r")
	p.sees("p1 runs on in the background")
	p.sees("It warms up.")
	p.sees("▌ p1 (script \"sleep 0.3; echo oven is warm\"): exit 0")
	p.sees("The oven is warm now.")
	p.sees(prompt)
	p.types("thanks\r")
	p.sees("ok")
	p.sees(prompt)
	p.types("/quit\r")
	p.leaves(0)
	bodies := p.model.Bodies("/api/chat")
	woken := string(bodies[2])
	for _, want := range []string{"Woken by p1 (script", "exit 0. No person spoke", "oven is warm"} {
		if !strings.Contains(woken, want) {
			t.Errorf("the model was not told %q:\n%s", want, woken)
		}
	}
	if last := string(bodies[len(bodies)-1]); strings.Count(last, "Woken by") != 1 {
		t.Errorf("told more than once:\n%s", last)
	}
	if len(bodies) != 4 {
		t.Errorf("%d requests, want 4", len(bodies))
	}
}
