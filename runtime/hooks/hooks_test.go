package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/assembly"
	"hardshell/policy"
	"hardshell/runtime/event"
	"hardshell/tools"
	"hardshell/tools/text"
)

// program is a hook that writes a text, and keeps what it was told.
type program struct {
	writes string
	read   []string
	from   tools.Origin
}

func (p *program) hook(name string, on On) Hook {
	return Hook{Name: name, On: on, Run: func(_ context.Context, from tools.Origin, in string) (tools.Result, error) {
		p.read, p.from = append(p.read, in), from
		return tools.Result{Outcome: tools.OK, Text: p.writes}, nil
	}}
}

var who = About{Agent: "main", Session: "main", Turn: "t3", Run: "cron", Workspace: "/lab"}

func workspace() []assembly.File {
	return []assembly.File{{Name: "Agents.md", Data: []byte("Be brief.")}, {Name: "SOUL.md", Missing: true}}
}

func TestFilesInTheirPlaces(t *testing.T) {
	first := &program{writes: `{"files":[{"name":"AGENTS.md","content":"Be loud."},{"name":"memory.md","content":"bay 4\r\n"}]}`}
	second := &program{writes: `{"files":[{"name":"SOUL.md","content":""}]}`}
	turn := &program{writes: `{}`}
	before := workspace()
	got, err := Files(t.Context(), []Hook{first.hook("one", Bootstrap), turn.hook("t", Turn), second.hook("two", Bootstrap)}, who, before)
	if err != nil {
		t.Fatal(err)
	}
	want := []assembly.File{
		{Name: "Agents.md", Data: []byte("Be loud."), Hook: "one"}, {Name: "SOUL.md", Data: []byte{}, Hook: "two"}, {Name: "MEMORY.md", Data: []byte("bay 4\r\n"), Hook: "one"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(workspace(), before); d != "" {
		t.Errorf("the folder's own list was changed: %s", d)
	}
	wantIn := `{"version":1,"event":"agent:bootstrap","agent":"main","session":"main","run":"cron","workspace":"/lab","files":[` +
		`{"name":"Agents.md","bytes":8,"sha256":"HASH","hook":"one"},{"name":"SOUL.md","bytes":0,"missing":true},{"name":"MEMORY.md","bytes":7,"sha256":"HASH","hook":"one"}]}`
	var in map[string]any
	if err := json.Unmarshal([]byte(second.read[0]), &in); err != nil {
		t.Fatal(err)
	}
	told := second.read[0]
	for _, f := range in["files"].([]any) {
		if h, ok := f.(map[string]any)["sha256"].(string); ok {
			told = strings.Replace(told, h, "HASH", 1)
		}
	}
	if d := cmp.Diff(wantIn, told); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(tools.Origin{Agent: "main", Session: "main", Turn: "t3", Run: "hook"}, second.from); d != "" {
		t.Errorf("for whom: %s", d)
	}
	if turn.read != nil {
		t.Error("a hook of another event was run")
	}
}

func TestAppend(t *testing.T) {
	hot, quiet := &program{writes: `{"append":"rig 2 is hot\n"}`}, &program{writes: ` { } `}
	long := strings.Repeat("ü", maxMessage)
	got, err := Append(t.Context(), []Hook{hot.hook("bench", Turn), quiet.hook("quiet", Turn)}, who, long)
	if d := cmp.Diff([]assembly.Snippet{{Source: "hook bench", Text: "rig 2 is hot\n"}}, got); d != "" || err != nil {
		t.Error(d, err)
	}
	var in struct {
		Message string `json:"message"`
		Bytes   int    `json:"message_bytes"`
	}
	if err := json.Unmarshal([]byte(hot.read[0]), &in); err != nil || in.Bytes != 2*maxMessage || in.Message != long[:maxMessage] {
		t.Errorf("told %d bytes of %d: %v", len(in.Message), in.Bytes, err)
	}
	// A message that must be cut within a character loses the whole of it.
	if got := text.Head("x"+long, maxMessage); len(got) != maxMessage-1 {
		t.Errorf("the head has %d bytes", len(got))
	}
}

// TestBadAnswers holds that nothing of a bad answer is used.
func TestBadAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		on     On
		writes string
		want   string
	}{
		{"nothing", Turn, " \n", "it wrote nothing; write {} when there is nothing to add"},
		{"no JSON", Turn, "Traceback (most recent call last):\x1b[31m", "it must write one JSON object and nothing else, on either stream: invalid character 'T' looking for beginning of value; it wrote: Traceback (most recent call last):"},
		{"a list", Turn, `["append"]`, "it begins with something else"},
		{"a text", Turn, `"append"`, "it begins with something else"},
		{"cut short", Turn, `{"append":"x"`, "unexpected EOF"},
		{"two objects", Turn, `{"append":"x"}{}`, "something stands behind it"},
		{"words behind", Turn, `{"append":"x"} done`, "something stands behind it"},
		{"key twice", Turn, `{"append":"x","append":"y"}`, `the key "append" at byte 13 is there twice`},
		{"key in another case", Turn, `{"Append":"x"}`, `the key "Append" at byte 1 is not in lower case`},
		{"key twice in a file", Bootstrap, `{"files":[{"name":"SOUL.md","content":"x","content":"y"}]}`, `the key "content" at byte 41 is there twice`},
		{"unknown key", Turn, `{"append":"x","system":"obey"}`, `its answer is of another form: json: unknown field "system"`},
		{"tools", Turn, `{"append":"x","tools":[]}`, `unknown field "tools"`},
		{"answer of the other event", Bootstrap, `{"append":"x"}`, `unknown field "append"`},
		{"wrong type", Turn, `{"append":["x"]}`, "its answer is of another form"},
		{"bad UTF-8", Turn, "{\"append\":\"\xff\"}", "it wrote something that is no UTF-8 text"},
		{"escape sequence", Turn, `{"append":"\u001b[2J"}`, "what it appends holds control characters"},
		{"zero byte", Turn, `{"append":"a\u0000b"}`, "what it appends holds a zero byte"},
		{"turned writing", Turn, `{"append":"a\u202eb"}`, "what it appends holds control characters"},
		{"escape in a file", Bootstrap, `{"files":[{"name":"SOUL.md","content":"\u001b[2J"}]}`, "the file SOUL.md holds control characters"},
		{"no content", Bootstrap, `{"files":[{"name":"SOUL.md"}]}`, `the file "SOUL.md" has no content`},
		{"file twice", Bootstrap, `{"files":[{"name":"SOUL.md","content":"x"},{"name":"soul.md","content":"y"}]}`, "the file SOUL.md is there twice"},
		{"unknown file", Bootstrap, `{"files":[{"name":"notes.md","content":"x"}]}`, `it gave the file "notes.md", and a hook may give AGENTS.md, SOUL.md, IDENTITY.md, USER.md, TOOLS.md, MEMORY.md only`},
		{"path", Bootstrap, `{"files":[{"name":"../AGENTS.md","content":"x"}]}`, `it gave the file "../AGENTS.md"`},
		{"heartbeat notes", Bootstrap, `{"files":[{"name":"HEARTBEAT.md","content":"x"}]}`, `it gave the file "HEARTBEAT.md"`},
		{"the rite", Bootstrap, `{"files":[{"name":"BOOTSTRAP.md","content":"x"}]}`, `it gave the file "BOOTSTRAP.md"`},
	} {
		p := &program{writes: c.writes}
		files, ferr := Files(t.Context(), []Hook{p.hook("h", c.on)}, who, workspace())
		added, aerr := Append(t.Context(), []Hook{p.hook("h", c.on)}, who, "hello")
		var problem *event.Problem
		switch err := errors.Join(ferr, aerr); {
		case !errors.As(err, &problem):
			t.Errorf("%s: %v", c.name, err)
		case !strings.HasPrefix(problem.Message, `hook "h" (`+string(c.on)+`) failed, so nothing was sent to the model: `) || !strings.Contains(problem.Message, c.want):
			t.Errorf("%s: %s", c.name, problem.Message)
		case problem.Hint != `correct the program, or write off = true below the [[hook]] named "h" in config.toml`:
			t.Errorf("%s: %s", c.name, problem.Hint)
		case strings.ContainsRune(problem.Message, 0x1b):
			t.Errorf("%s: the message holds an escape character", c.name)
		}
		if c.on == Bootstrap && files != nil || c.on == Turn && added != nil {
			t.Errorf("%s: used nevertheless: %v %v", c.name, files, added)
		}
	}
}

// TestFailuresEndTheRun holds that a hook which failed keeps the later ones from
// running, and that its error says why.
func TestFailuresEndTheRun(t *testing.T) {
	dead := errors.New("the audit can't be kept")
	for _, c := range []struct {
		res  tools.Result
		err  error
		want string
	}{
		{tools.Result{Outcome: tools.Failed, Text: "failed: exit 1"}, nil, `hook "bad" (before_prompt_build) failed, so nothing was sent to the model: exit 1`},
		{tools.Result{Outcome: tools.Refused, Decision: policy.Decision{Rule: "unlisted", Reason: "no rule names it"}}, nil, `policy refused hook "bad" (before_prompt_build), so nothing was sent to the model: no rule names it (rule unlisted)`},
		{tools.Result{}, nil, `hook "bad" (before_prompt_build) failed, so nothing was sent to the model: `},
		{tools.Result{}, dead, dead.Error()},
	} {
		later := &program{writes: `{}`}
		bad := Hook{Name: "bad", On: Turn, Run: func(context.Context, tools.Origin, string) (tools.Result, error) { return c.res, c.err }}
		_, err := Append(t.Context(), []Hook{bad, later.hook("later", Turn)}, who, "x")
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
		if later.read != nil {
			t.Error("the next hook ran after a failure")
		}
	}
}

// FuzzRead holds that whatever a program writes, it is taken whole or refused, and
// that what is taken is what strict JSON says.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{}`, `{"append":"x"}`, `{"append":"x"}{}`, `{"append":{"append":"x"}}`, `[[]]`, `{"a":[{"a":1},{"a":2}]}`, "{\"append\":\"\\ud800\"}", `{"append":"x","append":1}`, `}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got turnReply
		if read(s, &got) != nil {
			return
		}
		var loose map[string]any
		if err := json.Unmarshal([]byte(s), &loose); err != nil {
			t.Fatalf("%q was taken and is no JSON object: %v", s, err)
		}
		for k := range loose {
			if k != "append" {
				t.Fatalf("%q was taken with the key %q", s, k)
			}
		}
		if want, _ := loose["append"].(string); want != got.Append {
			t.Fatalf("%q gave %q", s, got.Append)
		}
	})
}
