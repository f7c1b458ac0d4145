package integration

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"hardshell/runtime/model"
)

// What stops a turn before any answer: exit code 4, and an error that names what
// is wrong and what to do.
func TestModelTroubleIsExit4(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if _, err := w.Write([]byte("<html>It works!</html>")); err != nil {
			t.Error(err)
		}
	}))
	defer other.Close()
	for _, c := range []struct{ name, setting, code string }{
		{"a model that is not there", "HARDSHELL_MODEL=hardshell-no-such-model", model.ModelMissing},
		{"a server that is down", "OLLAMA_HOST=127.0.0.1:1", model.Unreachable},
		{"a server that is something else", "OLLAMA_HOST=" + other.URL, model.NotOllama},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPerson(t, "")
			p.env = append(p.env, c.setting)
			o := p.run("", "ask", "--json", "What can you do?")
			if o.Code != 4 {
				t.Errorf("exit %d, want 4\n%s%s", o.Code, o.Stdout, o.Stderr)
			}
			got := lastError(t, o.Stdout)
			if got.Code != c.code || got.Message == "" || got.Hint == "" {
				t.Errorf("error %+v, want code %s with a message and a hint", got, c.code)
			}
		})
	}
}

// problem is an error as the JSON surface has it.
type problem struct{ Code, Message, Hint string }

// lastError finds the error of a run: in turn.end, or in an object of its own.
func lastError(t *testing.T, stdout string) problem {
	t.Helper()
	var found problem
	for d := json.NewDecoder(bytes.NewReader([]byte(stdout))); d.More(); {
		var line struct {
			Error *problem
			End   *struct{ Error *problem }
		}
		if err := d.Decode(&line); err != nil {
			t.Fatalf("%v in %q", err, stdout)
		}
		if line.End != nil && line.End.Error != nil {
			found = *line.End.Error
		}
		if line.Error != nil {
			found = *line.Error
		}
	}
	return found
}

// A record that somebody changed is found by the program that a person has.
func TestAuditFindsTampering(t *testing.T) {
	for _, c := range []struct {
		name string
		harm func([]byte) []byte
	}{
		{"a flipped byte", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }},
		{"a cut tail", func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] }},
		{"a verdict turned round", func(b []byte) []byte { return bytes.Replace(b, []byte(`"deny"`), []byte(`"allow"`), 1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPerson(t, "test/demo/workspace")
			if got := sum(p.ask("Reboot the machine.")); got.Code != 3 {
				t.Fatalf("the reboot was not refused: %+v", got)
			}
			p.must("audit", "verify")
			logs, err := filepath.Glob(filepath.Join(p.dir, "state", "audit", "*"))
			if err != nil || len(logs) == 0 {
				t.Fatalf("there is no audit: %v", err)
			}
			b, err := os.ReadFile(logs[len(logs)-1])
			if err != nil {
				t.Fatal(err)
			}
			harmed := c.harm(bytes.Clone(b))
			if bytes.Equal(b, harmed) {
				t.Fatal("the test changed nothing")
			}
			write(t, logs[len(logs)-1], string(harmed))
			if o := p.run("", "audit", "verify"); o.Code != 1 {
				t.Errorf("audit verify: exit %d, want 1\n%s%s", o.Code, o.Stdout, o.Stderr)
			}
		})
	}
}

// What policy check says beforehand is what a turn gets.
func TestCheckSaysWhatATurnGets(t *testing.T) {
	p := newPerson(t, "test/demo/workspace")
	for _, c := range []struct {
		argv     []string
		question string
		verdict  string
		code     int
	}{
		{[]string{"uname", "-m"}, "Which processor is this?", "allow", 0},
		{[]string{"reboot"}, "Reboot the machine.", "deny", 3},
	} {
		var check struct{ Verdict, Rule, Reason string }
		o := p.run("", append([]string{"policy", "check", "--json", "--"}, c.argv...)...)
		if err := json.Unmarshal([]byte(o.Stdout), &check); err != nil {
			t.Fatalf("policy check: %v\n%s%s", err, o.Stdout, o.Stderr)
		}
		if o.Code != c.code || check.Verdict != c.verdict || check.Rule == "" || check.Reason == "" {
			t.Errorf("policy check -- %v: exit %d, %+v; want exit %d and %s with rule and reason", c.argv, o.Code, check, c.code, c.verdict)
		}
		events, _ := p.ask(c.question)
		call := events[len(events)-1].End.Calls[0]
		if call.Verdict != check.Verdict || call.Rule != check.Rule {
			t.Errorf("the turn got %s by %s, policy check said %s by %s", call.Verdict, call.Rule, check.Verdict, check.Rule)
		}
	}
}
