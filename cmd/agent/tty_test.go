package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hardshell/runtime/model/modeltest"
)

const prompt = "> "

func TestChatAtTheTerminal(t *testing.T) {
	p := sitDown(t, "chat")
	p.sees("conversation main")
	p.sees(prompt)
	p.types("helo\x1b[Dl\r") // an arrow key and a letter: edited, not sent as bytes
	p.sees("ok")
	p.sees("1 request")
	p.sees(prompt)
	p.types("\x1b[A again\r") // the line before, and more
	p.sees("ok")
	p.sees(prompt)
	p.types("\x1b[200~first\rsecond\x1b[201~\r") // pasted: one message
	p.sees("ok")
	p.sees(prompt)
	p.types("/status\r")
	p.sees("conversation  main, 6 messages")
	p.sees(prompt)
	p.types("\x04")
	p.leaves(0)
	var said []string
	for _, body := range p.model.Bodies("/api/chat") {
		said = append(said, string(body))
	}
	for i, want := range []string{`"hello"`, `"hello again"`, `"first\nsecond"`} {
		if i >= len(said) || !strings.Contains(said[i], want) {
			t.Errorf("message %d is not %s", i, want)
		}
	}
	b, err := os.ReadFile(filepath.Join(p.state, "chat_history"))
	if want := "\"hello\"\n\"hello again\"\n\"first\"\n\"second\"\n\"/status\"\n"; err != nil || string(b) != want {
		t.Errorf("history %v:\n%s", err, b)
	}
}

// TestQuestionAtTheTerminal answers policy's questions in each way.
func TestQuestionAtTheTerminal(t *testing.T) {
	const uname = `TOOL:{"name":"exec","args":{"argv":["uname","-m"]}}` + "\r"
	p := sitDown(t, "chat")
	p.sees(prompt)
	p.types(uname)
	p.sees("question a1: may exec do this?")
	p.sees("uname -m")
	p.sees("[d]eny: ")
	p.types("perhaps\n")
	p.sees("[d]eny: ") // asked again
	p.types("o\n")
	p.sees("question a1: once, by terminal")
	p.sees("done: ")
	p.sees(prompt)
	p.types(uname)
	p.sees("[d]eny: ")
	p.types("\n") // Enter alone never allows
	p.sees(": deny, by terminal")
	p.sees("refused")
	p.sees(prompt)
	p.types(uname)
	p.sees("[d]eny: ")
	p.types("session\n")
	p.sees("done: ")
	p.sees(prompt)
	p.types(uname) // allowed for the session: no question
	if before := p.sees("done: "); strings.Contains(before, "[d]eny") {
		t.Errorf("asked again: %s", before)
	}
	p.sees(prompt)
	p.types("/quit\r")
	p.leaves(0)
}

// TestTypedAheadIsNoAnswer holds that what was typed before a question stands on
// the screen does not answer it.
func TestTypedAheadIsNoAnswer(t *testing.T) {
	gate := make(chan struct{})
	p := sitDown(t, "ask", "may I?")
	p.model.Script(modeltest.Stream(modeltest.Step{Wait: gate, Calls: []modeltest.Call{{Name: "exec", Args: `{"argv":["uname","-m"]}`}}}))
	p.model.Await("/api/chat", 1)
	p.types("o\n")
	p.sees("o\r\n") // the terminal has it
	close(gate)
	p.sees("[d]eny: ")
	p.types("n\n")
	p.sees(": deny, by terminal")
	p.leaves(3)
}

// TestCtrlC stops a turn first and ends the program second.
func TestCtrlC(t *testing.T) {
	gate := make(chan struct{})
	defer close(gate)
	p := sitDown(t, "chat")
	p.sees(prompt)
	p.model.Script(modeltest.Stream(modeltest.Step{Text: "thinking hard"}, modeltest.Step{Wait: gate, Text: "never"}))
	p.types("hello\r")
	p.sees("thinking hard")
	p.types("\x03")
	p.sees("stopped by a person")
	p.sees(prompt)
	p.types("\x03")
	p.sees("Ctrl-C again ends the chat")
	p.sees(prompt)
	p.types("still here\r")
	p.sees("ok")
	p.sees(prompt)
	p.types("\x03")
	p.sees("Ctrl-C again")
	p.sees(prompt)
	p.types("\x03")
	p.leaves(0)

	p.model.Script(modeltest.Stream(modeltest.Step{Text: "on and on"}, modeltest.Step{Wait: gate, Text: "never"}))
	p.begin("ask", "hello")
	p.sees("on and on")
	p.types("\x03")
	p.leaves(130)
}

// TestChatOutlivesItsAgent holds that a chat which was the client of another
// process goes on when that process ends, in the same conversation.
func TestChatOutlivesItsAgent(t *testing.T) {
	p := newPerson(t)
	_, end := p.background(`"msg":"serving"`, "serve")
	p.begin("chat")
	p.sees(prompt)
	p.types("one\r")
	p.sees("ok")
	p.sees(prompt)
	end()
	p.types("two\r")
	p.sees("ok")
	p.sees(prompt)
	p.types("/status\r")
	p.sees("main, 4 messages")
	p.sees(prompt)
	p.types("/quit\r")
	p.leaves(0)
}

// TestAgentWaitsForOthers holds that a process which is done lets the turn of
// another terminal end before it ends itself.
func TestAgentWaitsForOthers(t *testing.T) {
	first, second := make(chan struct{}), make(chan struct{})
	host := newPerson(t)
	host.model.Script(
		modeltest.Stream(modeltest.Step{Text: "mine "}, modeltest.Step{Wait: first, Text: "done"}),
		modeltest.Stream(modeltest.Step{Text: "yours "}, modeltest.Step{Wait: second, Text: "done"}),
	)
	host.begin("ask", "hello")
	host.sees("mine ")
	guest := &person{t: t, state: host.state, model: host.model, env: host.env}
	guest.begin("ask", "--session", "other", "hello")
	guest.waits(host)
	close(first)
	host.sees("mine done"[5:])
	guest.sees("yours ")
	host.sees("another terminal's turn still runs")
	close(second)
	guest.sees("done")
	guest.leaves(0)
	host.leaves(0)
}

// TestCase190_BadReload holds that a running daemon keeps its config when the new
// one is bad, and says so.
func TestCase190_BadReload(t *testing.T) {
	p := newPerson(t)
	file := filepath.Join(filepath.Dir(p.state), "config.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("[turn]\nmax_steps = 3\n")
	p.env = append(p.env, "HARDSHELL_CONFIG="+file)
	signal, end := p.background(`"msg":"serving"`, "serve")
	write("[turn]\nmax_steps = 3,\n")
	signal(syscall.SIGHUP, `"msg":"the new settings are refused; the old ones stay in force","problem":"`+file+`:2:14: line 2, column 14: `)
	write("")
	signal(syscall.SIGHUP, `the old ones stay in force","problem":"`+file+`:1:1: line 1, column 1: the file is empty`)
	write("[turn]\nmax_steps = 4\n")
	signal(syscall.SIGHUP, `"msg":"read again: in force as soon as no turn runs","policy":"`)
	signal(syscall.SIGHUP, `"changed":["turn.max_steps"],"from_the_next_start":[]}`)
	end()
}

// TestChatWarmsUp holds that the model reads the prompt while the person still
// thinks, and that nothing of it is shown or kept.
func TestChatWarmsUp(t *testing.T) {
	p := newPerson(t)
	p.env = append(p.env, "HARDSHELL_CONFIG=")
	p.begin("chat")
	p.sees(prompt)
	p.model.Await("/api/chat", 1)
	if body := string(p.model.Bodies("/api/chat")[0]); !strings.Contains(body, `"num_predict":1`) || strings.Contains(body, `"num_predict":10`) {
		t.Errorf("no warm-up: %s", body)
	}
	p.types("/status\r")
	if shown := p.sees("main, 0 messages"); strings.Contains(shown, "ok\r") {
		t.Errorf("the warm-up is shown: %s", shown)
	}
	p.sees(prompt)
	p.types("\x04")
	p.leaves(0)
}
