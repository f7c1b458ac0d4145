package main

import (
	"context"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy"
	"hardshell/runtime"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/model"
)

// fakeTable has one command of each kind.
func fakeTable(got map[string]string) []subcommand {
	one := func(name string) subcommand {
		var n string
		var b bool
		return subcommand{
			name: name, short: "does " + name, long: "Does " + name + ".\n\n  agent " + name,
			flags: func(fs *flag.FlagSet) {
				fs.StringVar(&n, "n", "", "a `number`")
				fs.BoolVar(&b, "b", false, "a switch")
			},
			run: func(_ context.Context, inv *invocation) error {
				got["name"], got["n"], got["args"] = name, n, strings.Join(inv.args, "|")
				return nil
			},
		}
	}
	return []subcommand{one("ask"), one("model list"), one("model use"), one("version")}
}

func TestParseCommandLine(t *testing.T) {
	for _, tt := range []struct {
		line  string
		name  string
		args  string
		given map[string]string
		json  bool
		help  bool
		group string
		err   string
	}{
		{line: "ask hello world", name: "ask", args: "hello|world"},
		{line: "--json --model m ask --state s hello", name: "ask", args: "hello", json: true, given: map[string]string{"model": "m", "state": "s"}},
		{line: "ask hello --json --model=m world -b", name: "ask", args: "hello|world", json: true, given: map[string]string{"model": "m"}},
		{line: "--model a ask --model b", name: "ask", given: map[string]string{"model": "b"}},
		{line: "--board= ask", name: "ask", given: map[string]string{"board": ""}},
		{line: "ask -- --json -b", name: "ask", args: "--json|-b"},
		{line: "ask a -- --json -- b", name: "ask", args: "a|--json|--|b"},
		{line: "ask -", name: "ask", args: "-"},
		{line: "model list", name: "model list"},
		{line: "model use x", name: "model use", args: "x"},
		{line: "--version --json", name: "version", json: true},
		{line: "help", help: true},
		{line: "--help", help: true},
		{line: "help model use", name: "model use", help: true},
		{line: "ask -h", name: "ask", help: true},
		{line: "", err: "no command given"},
		{line: "model", err: "model needs one of: model list, model use"},
		{line: "model drop", err: `there is no command "model drop"`},
		{line: "model lst", err: `there is no command "model lst", did you mean agent model list?`},
		{line: "modle lst", err: `there is no command "modle", did you mean agent model?`},
		{line: "aks", err: `there is no command "aks", did you mean agent ask?`},
		{line: "weather", err: `there is no command "weather"`},
		{line: "help weather", err: `there is no command "weather"`},
		{line: "help model", group: "model", help: true},
		{line: "model --help", group: "model", help: true},
		{line: "model -h", group: "model", help: true},
		{line: "help model drop", err: `there is no command "model drop"`},
		{line: "--nope ask", err: "there is no flag --nope"},
		{line: "ask hi --nope", err: "there is no flag --nope"},
		{line: "ask hi --jsn", err: "there is no flag --jsn, did you mean --json?"},
		{line: "ask -v", err: "there is no flag -v"},
		{line: "ask --state", err: "--state needs a value behind it"},
		{line: "ask -n", err: "-n needs a value behind it"},
		{line: "ask --json=perhaps", err: `--json can't be "perhaps"`},
	} {
		t.Run(tt.line, func(t *testing.T) {
			inv, err := parse(fakeTable(nil), strings.Fields(tt.line))
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Fatalf("err = %v, want %s", err, tt.err)
				}
				if _, code := judge(err); code != exitUsage {
					t.Errorf("exit %d", code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if tt.given == nil {
				tt.given = map[string]string{}
			}
			got := []any{inv.cmd.name, strings.Join(inv.args, "|"), inv.globals.given, inv.globals.json, inv.help, inv.group}
			if tt.help && tt.name == "" {
				got, tt.given = []any{inv.cmd.name, "", tt.given, false, inv.help, inv.group}, map[string]string{}
			}
			if d := cmp.Diff([]any{tt.name, tt.args, tt.given, tt.json, tt.help, tt.group}, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestEveryCommandExplainsItself holds the table to its own rules: one line, a
// text with an example, no name twice.
func TestEveryCommandExplainsItself(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range commands() {
		if seen[c.name] || c.short == "" || c.run == nil || len(c.short) > 60 || strings.HasSuffix(c.short, ".") {
			t.Errorf("%s: twice, or without a short line of its own", c.name)
		}
		seen[c.name] = true
		if !strings.Contains(c.long, "\n  agent "+c.name) && !strings.Contains(c.long, "| agent "+c.name) {
			t.Errorf("%s: no example in its text", c.name)
		}
		for line := range strings.Lines(c.usage()) {
			if len(line) > 90 {
				t.Errorf("%s: a line of %d characters: %s", c.name, len(line), line)
			}
		}
	}
}

func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want event.Problem
		exit int
	}{
		{"usage", usageError("h", "bad %s", "x"), event.Problem{Code: "usage", Message: "bad x", Hint: "h"}, 2},
		{"config", &config.Error{File: "c", Problems: []config.Fault{{Text: "wrong"}}}, event.Problem{
			Code: "config", Message: "c: wrong", Hint: "agent config schema lists every key; agent config show prints what is in force",
		}, 2},
		{"model", &model.Error{Code: "unreachable", Message: "m", Hint: "h"}, event.Problem{Code: "unreachable", Message: "m", Hint: "h"}, 4},
		{"question", &event.Problem{Code: "empty_question", Message: "m"}, event.Problem{Code: "empty_question", Message: "m"}, 2},
		{"other problem", &event.Problem{Code: "agent_gone", Message: "m"}, event.Problem{Code: "agent_gone", Message: "m"}, 1},
		{"interrupt", errors.Join(context.Canceled), event.Problem{Code: "interrupted", Message: "interrupted"}, 130},
		{"anything", errors.New("x"), event.Problem{Code: "failed", Message: "x"}, 1},
	} {
		got, exit := judge(tt.err)
		if d := cmp.Diff(tt.want, got); d != "" || exit != tt.exit {
			t.Errorf("%s: exit %d, want %d\n%s", tt.name, exit, tt.exit, d)
		}
	}
	_, err := policy.Parse("policy.toml", []byte("nonsense = 1\n"))
	if p, exit := judge(err); exit != 2 || p.Code != "policy" {
		t.Errorf("policy file: %d %+v", exit, p)
	}
	for status, want := range map[string]int{
		runtime.Done: 0, runtime.FailedTurn: 1, runtime.RefusedTurn: 3, runtime.ModelTurn: 4, runtime.LimitTurn: 5, runtime.Interrupted: 130, "": 1,
	} {
		if got := exitOf(event.End{Status: status}); got != want {
			t.Errorf("status %q: exit %d, want %d", status, got, want)
		}
	}
	if got := exitOf(event.End{Status: runtime.FailedTurn, Error: &event.Problem{Code: "question_too_long"}}); got != 2 {
		t.Errorf("over-long question: exit %d", got)
	}
}

func TestWantsJSON(t *testing.T) {
	for line, want := range map[string]bool{"--json nope": true, "nope -json": true, "ask -- --json": false, "ask hi": false} {
		if got := wantsJSON(strings.Fields(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
