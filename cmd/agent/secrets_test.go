package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"hardshell/runtime/model/modeltest"
)

// Two secrets: a plain one, and one that JSON and shells write otherwise than it is.
const (
	plainSecret = "PLAIN-5520-END"
	oddSecret   = `o"<ODD-7731>\ä`
)

// pieces are what must not be seen of them, however they were escaped or cut.
var pieces = []string{"PLAIN-5", "5520-END", `\u002d5520`, "ODD-77", "D-7731"}

// secretPolicy lets commands show what a file holds, and asks for one of them.
const secretPolicy = `version = 1
name = "secrets"
[tools]
allow = ["*", "apply_patch"]
[[file]]
root = "workspace"
ops = ["read", "write"]
why = "the desk"
[[exec]]
argv = ["cat", "{path:read...}"]
why = "looking"
[[exec]]
argv = ["echo", "{word...}"]
why = "saying"
[[exec]]
argv = ["sleep", "{num}"]
why = "waiting"
[[exec]]
id = "hear"
argv = ["cat"]
why = "hearing"
[[exec]]
argv = ["uname", "{word...}"]
verdict = "ask"
why = "a person says"
`

// secretLab is a lab whose config names both secrets, with files that hold them.
func secretLab(t *testing.T) *person {
	t.Helper()
	p := newPerson(t)
	top := filepath.Dir(p.state)
	wide := utf16.Encode([]rune("\ufeffthe key is " + plainSecret))
	utf := make([]byte, 0, 2*len(wide))
	for _, u := range wide {
		utf = append(utf, byte(u), byte(u>>8))
	}
	for name, text := range map[string]string{
		"cold.toml":            "[model]\nwarm_up = false\n[prompt]\nbootstrap_max_chars = 300\n[secrets]\nnames = [\"RIG_TOKEN\"]\nvalues = [" + strconv.Quote(oddSecret) + "]\n",
		"policy.toml":          secretPolicy,
		"ws/AGENTS.md":         "The token is " + plainSecret + " and the other one " + oddSecret + ".\n",
		"ws/SOUL.md":           strings.Repeat(plainSecret, 30), // these are cut in a value
		"ws/IDENTITY.md":       "1234" + strings.Repeat(plainSecret, 30),
		"ws/USER.md":           "12345678" + strings.Repeat(plainSecret, 30),
		"ws/TOOLS.md":          string(utf),
		"ws/key.txt":           "token=" + plainSecret + "\nother=" + oddSecret + "\n",
		"ws/half1.txt":         "token=PLAIN-55",
		"ws/half2.txt":         "20-END\n",
		"ws/long.txt":          strings.Repeat("x", 8185) + plainSecret + "\n",
		"ws/bin":               "\x00" + plainSecret,
		"ws/skills/s/SKILL.md": "---\nname: s\ndescription: knows " + plainSecret + "\n---\nUse " + plainSecret + ".\n",
	} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.env = append(p.env, "RIG_TOKEN="+plainSecret, "HARDSHELL_POLICY="+filepath.Join(top, "policy.toml"))
	return p
}

// leaks names the pieces of secrets in a text.
func leaks(text []byte) []string {
	var out []string
	for _, piece := range pieces {
		if i := bytes.Index(text, []byte(piece)); i >= 0 {
			out = append(out, strconv.Quote(string(text[max(0, i-60):min(len(text), i+40)])))
		}
	}
	return out
}

// runs runs the program in the lab and gives all that it says.
func (p *person) runs(stdin string, args ...string) []byte {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0], cmd.Env, cmd.Stdin = "agent", p.env, strings.NewReader(stdin)
	out, _ := cmd.CombinedOutput() // how it ends is not the matter here
	return out
}

// TestNoSecretLeaves plants the secrets on every road into the agent and then looks
// for them on every road out: what is shown, sent to the model, stored, logged and
// exported.
func TestNoSecretLeaves(t *testing.T) {
	p := secretLab(t)
	call := func(name, args string) modeltest.Reply {
		return modeltest.Calls(modeltest.Call{Name: name, Args: args})
	}
	odd := strconv.Quote(oddSecret)
	for name, c := range map[string]struct {
		ask     string
		replies []modeltest.Reply
	}{
		"a person's words":          {"use " + plainSecret + " or " + oddSecret, nil},
		"a file":                    {"go", []modeltest.Reply{call("read", `{"path":"key.txt"}`)}},
		"a file, cut in the value":  {"go", []modeltest.Reply{call("read", `{"path":"long.txt"}`)}},
		"a file that is no text":    {"go", []modeltest.Reply{call("read", `{"path":"bin"}`)}},
		"a folder's text":           {"go", []modeltest.Reply{call("read", `{"path":"skills/s/SKILL.md"}`)}},
		"a command's output":        {"go", []modeltest.Reply{call("exec", `{"argv":["cat","key.txt"]}`)}},
		"output in two writes":      {"go", []modeltest.Reply{call("exec", `{"script":"cat half1.txt; cat half2.txt"}`)}},
		"output of the background":  {"go", []modeltest.Reply{call("exec", `{"script":"cat half1.txt; cat half2.txt; cat key.txt","background":true,"yield_ms":3000}`), call("process", `{"action":"log","id":"p1"}`), call("process", `{"action":"list"}`)}},
		"arguments":                 {"go", []modeltest.Reply{call("exec", `{"argv":["echo","`+plainSecret+`",`+odd+`]}`)}},
		"escaped arguments":         {"go", []modeltest.Reply{call("exec", `{"argv":["echo","PLAIN\u002d5520\u002dEND"]}`)}},
		"what is written":           {"go", []modeltest.Reply{call("write", `{"path":"w.txt","content":`+odd+`}`), call("read", `{"path":"w.txt"}`)}},
		"a name of a file":          {"go", []modeltest.Reply{call("read", `{"path":"`+plainSecret+`"}`)}},
		"a name of a tool":          {"go", []modeltest.Reply{call("some-tool-with-a-long-name-"+plainSecret, `{}`)}},
		"a name of an argument":     {"go", []modeltest.Reply{call("read", `{"path":"key.txt","some-argument-with-a-long-name-`+plainSecret+`":1}`)}},
		"a value of the wrong type": {"go", []modeltest.Reply{call("read", `{"path":"key.txt","offset":"some text that is long enough: `+plainSecret+`"}`)}},
		"arguments that are none":   {"go", []modeltest.Reply{call("read", `"`+plainSecret+`"`)}},
		"a patch that does not fit": {"go", []modeltest.Reply{call("apply_patch", `{"patch":"*** Begin Patch\n*** Update File: key.txt\n@@\n-token=\n+x\n*** End Patch"}`)}},
		"a patch that is none":      {"go", []modeltest.Reply{call("apply_patch", `{"patch":"*** Begin Patch\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`+plainSecret+`"}`)}},
		"a refused command":         {"go", []modeltest.Reply{call("exec", `{"argv":["rm","`+plainSecret+`"]}`)}},
		"a question to nobody":      {"go", []modeltest.Reply{call("exec", `{"argv":["uname","`+plainSecret+`"]}`)}},
		"a call in words":           {"go", []modeltest.Reply{modeltest.Text(`{"name":"exec","arguments":{"argv":["echo",` + odd + `]}}`)}},
		"an answer in pieces":       {"go", []modeltest.Reply{modeltest.Text("it is PLA", "IN-55", "20-E", `ND and o"<ODD-`, `7731>\`, "ä.")}},
		"input":                     {"go", []modeltest.Reply{call("exec", `{"argv":["cat"],"stdin":`+odd+`}`)}},
		"a variable":                {"go", []modeltest.Reply{call("exec", `{"argv":["cat","key.txt"],"env":{"TZ":"`+plainSecret+`"}}`)}},
		"a plan":                    {"go", []modeltest.Reply{call("update_plan", `{"plan":[{"step":"use `+plainSecret+`","status":"pending"}]}`)}},
		"a setting":                 {"go", []modeltest.Reply{call("session_status", `{"model":"`+plainSecret+`"}`)}},
		"what a server says":        {"go", []modeltest.Reply{modeltest.Fail(500, "I broke on "+plainSecret), modeltest.Fail(500, "I broke on "+plainSecret)}},
		"thinking in pieces":        {"go", []modeltest.Reply{modeltest.Stream(modeltest.Step{Thinking: "hm, PLAIN-55"}, modeltest.Step{Thinking: "20-END"}, modeltest.Step{Text: "done"})}},
		"an answer that breaks off": {"go", []modeltest.Reply{modeltest.Stream(modeltest.Step{Text: "it is PLAIN-5520-E"}, modeltest.Step{Text: "ND!"}, modeltest.Step{Drop: true})}},
	} {
		for _, form := range [][]string{{"ask", "--new"}, {"ask", "--new", "--json"}} {
			p.model.Script(append(c.replies, modeltest.Text("I see."))...)
			if out := p.runs("", append(form, "--", c.ask)...); leaks(out) != nil {
				t.Errorf("%s is shown by %v: %v", name, form, leaks(out))
			}
			p.model.Script() // nothing is left for the next one
			p.nothingLeft(name)
		}
	}
	for _, args := range [][]string{
		{"status", "--json"},
		{"context", "prompt", "--json"},
		{"context", "detail"},
		{"context", "list"},
		{"sessions", "list"},
		{"sessions", "turn", "--json"},
		{"audit", "tail", "-n", "200", "--json"},
		{"audit", "export"},
		{"config", "show", "--json"},
		{"skills", "list", "--json"},
		{"skills", "info", "s"},
		{"approvals", "grants"},
		{"process", "list"},
		{"doctor"},
		{"doctor", "--json"},
		{"config", "check"},
		{"context", "diff"},
		{"policy", "explain", "--", "cat", plainSecret, oddSecret},
		{"policy", "check", "--", "cat", plainSecret},
		{"policy", "check", "--json", "--tool", "read", "--args", `{"path":` + odd + `}`},
	} {
		if out := p.runs("", args...); leaks(out) != nil || len(out) == 0 {
			t.Errorf("agent %v shows %v of %d bytes", args, leaks(out), len(out))
		}
	}
	p.nothingLeft("the commands that show")
}

// nothingLeft looks for secrets in what was sent to the model and in every file of
// the state folder.
func (p *person) nothingLeft(after string) {
	p.t.Helper()
	for i, body := range p.model.Bodies("/api/chat") {
		if found := leaks(body); found != nil {
			p.t.Fatalf("after %s: request %d to the model holds %v", after, i, found)
		}
	}
	files := 0
	err := filepath.WalkDir(p.state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if found := leaks(data); found != nil {
			p.t.Fatalf("after %s: %s holds %v", after, path, found)
		}
		return err
	})
	if err != nil || files == 0 {
		p.t.Fatalf("%d files of the state folder were looked at: %v", files, err)
	}
}

// TestNoSecretOfTheBackground: a command in the background that shows secrets, cut in
// the middle while somebody looks, shows none to the model, to a person who looks, in
// the wake of its end and in the log, whether it ends by itself, by a person's word or
// with the daemon.
func TestNoSecretOfTheBackground(t *testing.T) {
	p := secretLab(t)
	const script = "cat half1.txt; cat; cat half2.txt; cat key.txt bin; sleep 60"
	begin := func(script string) modeltest.Reply {
		return modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"script":"` + script + `","background":true,"yield_ms":200}`})
	}
	process := func(args string) modeltest.Reply {
		return modeltest.Calls(modeltest.Call{Name: "process", Args: args})
	}
	daemon := p.daemon("serving")
	looks := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			for _, args := range [][]string{{"process", "list"}, {"process", "list", "--json"}, {"process", "log", id}, {"process", "log", id, "--json"}, {"status"}, {"status", "--json"}} {
				if out := p.runs("", args...); leaks(out) != nil || len(out) == 0 {
					t.Errorf("%v of %d bytes: %v", args, len(out), leaks(out))
				}
			}
		}
		p.nothingLeft("a look at the background")
	}
	p.model.Script(begin(script), process(`{"action":"poll","id":"p1"}`), modeltest.Text("It runs."))
	p.runs("", "ask", "go")
	looks("p1") // half a secret is out
	p.model.Script(process(`{"action":"keys","id":"p1","text":"ctrl-d","wait_ms":2000}`), process(`{"action":"log","id":"p1"}`), modeltest.Text("It goes on."))
	p.runs("", "ask", "go on")
	looks("p1")
	p.model.Script(modeltest.Text("You ended it."))
	if out := p.runs("", "process", "kill", "p1"); leaks(out) != nil || !strings.HasPrefix(string(out), "p1 stopped: a person ended it") {
		t.Errorf("the kill: %s", out)
	}
	if line := p.logs(`"msg":"woken"`); leaks([]byte(line)) != nil {
		t.Errorf("the log: %s", line)
	}
	looks("p1")
	p.model.Script(begin("cat"), process(`{"action":"write","id":"p2","text":`+strconv.Quote(oddSecret+"\n")+`,"wait_ms":500}`), begin(script), modeltest.Text("They run."))
	p.runs("", "ask", "go")
	looks("p2", "p3")
	if err := daemon.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = daemon.Wait()
	p.model.Script()
	p.nothingLeft("a kill of the daemon")
	p.daemon("serving")
	if line := p.logs(`"msg":"woken"`); leaks([]byte(line)) != nil {
		t.Errorf("the log: %s", line)
	}
	looks("p2", "p3")
	bodies := p.model.Bodies("/api/chat")
	if last := string(bodies[len(bodies)-1]); !strings.Contains(last, "ended at restart") || strings.Count(last, "[secret") < 4 {
		t.Errorf("what was to be hidden was not there:\n%s", last)
	}
	if out := p.runs("", "audit", "export"); leaks(out) != nil || !strings.Contains(string(out), "kill p1: ") {
		t.Errorf("the audit: %v", leaks(out))
	}
}

// TestNoSecretInAQuestion: what a person is asked, at the terminal and in the list of
// another one, names no secret, nor does the history of what was typed or the log of
// the daemon.
func TestNoSecretInAQuestion(t *testing.T) {
	p := secretLab(t)
	_, end := p.background("agent", "serve")
	p.begin("chat")
	p.sees(prompt)
	p.model.Script(modeltest.Calls(modeltest.Call{Name: "exec", Args: `{"argv":["uname","` + plainSecret + `"],"stdin":` + strconv.Quote(oddSecret) + `}`}), modeltest.Text("Asked."))
	p.types("go on\r")
	p.sees("or [d]eny")
	for _, args := range [][]string{{"approvals", "list"}, {"approvals", "list", "--json"}} {
		if out := p.runs("", args...); leaks(out) != nil || len(out) == 0 {
			t.Errorf("%v: %s", args, out)
		}
	}
	p.nothingLeft("a question")
	p.types("o\r")
	p.sees(prompt)
	if found := leaks([]byte(p.seen)); found != nil {
		t.Errorf("the screen shows %v", found)
	}
	p.types("remember " + plainSecret + "\r")
	p.sees(prompt)
	p.types("/quit\r")
	p.leaves(0)
	end()
	p.nothingLeft("a chat")
}

// TestNoSecretOfAnOldRecord: what was said before its secret was named is not sent
// again as it was.
func TestNoSecretOfAnOldRecord(t *testing.T) {
	p := secretLab(t)
	config := filepath.Join(filepath.Dir(p.state), "cold.toml")
	named, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[model]\nwarm_up = false\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.runs("", "ask", "use "+plainSecret)
	if sent := p.model.Bodies("/api/chat"); len(sent) != 1 || leaks(sent[0]) == nil {
		t.Fatalf("%d requests", len(sent))
	}
	if err := os.WriteFile(config, named, 0o644); err != nil {
		t.Fatal(err)
	}
	p.runs("", "ask", "go on")
	if sent := p.model.Bodies("/api/chat"); len(sent) != 2 || leaks(sent[1]) != nil || !bytes.Contains(sent[1], []byte("use [secret RIG_TOKEN]")) {
		t.Errorf("sent again: %v", leaks(sent[1]))
	}
	if out := p.runs("", "context", "prompt", "--json", "--session", "main"); leaks(out) != nil || !bytes.Contains(out, []byte("[secret")) {
		t.Errorf("shown: %v", leaks(out))
	}
}
