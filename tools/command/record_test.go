package command

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hardshell/policy/audit"
	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// The act of a command is on record before it ends in the background, so its end and
// what it started by itself are a record of their own.
func TestEndInTheBackgroundIsOnRecord(t *testing.T) {
	kept := &toolstest.Auditor{}
	y := newYard(t, func(c *ProcessesConfig) { c.Auditor = kept })
	a := y.begin(t, "p1")
	y.over(t, a, tools.Exit{Code: 2, Layers: []string{"env"}, Starts: []string{"/usr/bin/date s3cr3t-zz"}, Refused: []string{"refused: /usr/bin/at (no)"}})
	want := []audit.Line{{
		Time: toolstest.Noon, Kind: "note", Agent: "main", Session: "main", Tool: "exec", Subject: "p1 ended: cat", Digest: y.ledger.record(t, "p1").Digest,
		Reason: "exit 2; did not start: refused: /usr/bin/at (no)", Outcome: "failed", Layers: []string{"env"},
		Starts: []string{"/usr/bin/date [secret LAB_KEY]", "refused: /usr/bin/at (no)"},
	}}
	toolstest.Diff(t, "records", kept.Records, want)
	kept.Fail = map[int]error{2: errors.New("the disk is full")}
	y.over(t, y.begin(t, "p2"), tools.Exit{})
	toolstest.Diff(t, "fault", y.ledger.record(t, "p2").Fault, "its end can't be put on record: the disk is full")
}

// An end whose record can't be kept is told all the same, with what is missing.
func TestEndThatCantBeKeptIsTold(t *testing.T) {
	y := newYard(t)
	a := y.begin(t, "p1")
	y.ledger.fail = errors.New("the disk is full")
	y.over(t, a, tools.Exit{Code: 3})
	const fault = "the record of its end can't be kept: the disk is full"
	pending := y.pending("")
	toolstest.Diff(t, "pending", []any{ids(pending), pending[0].How, pending[0].Fault}, []any{"p1", "exit 3", fault})
	res := y.process(t, `{"action":"poll","id":"p1"}`)
	for _, want := range []string{"[p1 is over: exit 3", "[" + fault + "]", "[note that the end of p1 was told: the disk is full]"} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("%q is missing in %q", want, res.Text)
		}
	}
}

// What a killed agent left in place of an output is never read through, and it is
// said what became of it.
func TestOutputThatIsNoFileIsTold(t *testing.T) {
	y := newYard(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("LEAKED"), 0o600); err != nil {
		t.Fatal(err)
	}
	for id, spoil := range map[string]func(path string) error{
		"p1": func(path string) error { return os.Symlink(secret, path) },
		"p2": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"p3": func(path string) error { return os.Mkdir(path, 0o700) },
		"p4": func(string) error { return nil },
	} {
		kept := filepath.Join(y.cfg.Dir, id+".txt")
		if err := errors.Join(y.ledger.Put(id, ProcessRecord{ID: id, Agent: "main", Session: "main", Began: toolstest.Noon}), spoil(kept)); err != nil {
			t.Fatal(err)
		}
	}
	y.open(t)
	faults := map[string]string{}
	for _, r := range y.pending("") {
		faults[r.ID] = r.Fault
		if r.Last != "" || r.Bytes != 0 {
			t.Errorf("%s: %d bytes, %q", r.ID, r.Bytes, r.Last)
		}
	}
	toolstest.Diff(t, "faults", faults, map[string]string{
		"p1": "a link stands in its place", "p2": "no file stands in its place", "p3": "no file stands in its place",
		"p4": "open " + filepath.Join(y.cfg.Dir, "p4.txt") + ": no such file or directory",
	})
	if res := y.process(t, `{"action":"log","id":"p1"}`); strings.Contains(res.Text, "LEAKED") {
		t.Errorf("%q", res.Text)
	}
}

// Records that can't be read stay and cost nobody else; a number that can't be read
// keeps the agent from starting, since it would be given twice.
func TestRecordsThatCantBeRead(t *testing.T) {
	y := newYard(t)
	kept := map[string]json.RawMessage{
		"p1": json.RawMessage(`{`), "p2": json.RawMessage(`{"id":"p3","agent":"main"}`), "x4": json.RawMessage(`{"id":"x4","agent":"main"}`),
		"p-5": json.RawMessage(`{"id":"p-5","agent":"main"}`), "p06": json.RawMessage(`{"id":"p06","agent":"main"}`), "p7": json.RawMessage(`{"id":"p7","agent":"other"}`),
		"p8": json.RawMessage(`{"id":"p8","agent":"main","session":"main","how":"exit 0","ended":"2026-11-30T12:00:00Z"}`),
	}
	for k, v := range kept {
		y.ledger.kept[k] = v
	}
	y.open(t)
	toolstest.Diff(t, "known", ids(y.keeper.list(func(ProcessRecord) bool { return true })), "p8")
	all, _ := y.ledger.All()
	toolstest.Diff(t, "kept", all, kept)
	y.begin(t, "p9")
	y.ledger.kept[lastKey] = json.RawMessage(`"x"`)
	if _, err := OpenProcesses(y.cfg); err == nil || !strings.HasPrefix(err.Error(), "read the number of the last command: ") {
		t.Errorf("%v", err)
	}
}

// A command whose output can't be kept does not start, and takes no place from others.
func TestOutputThatCantBeKeptStartsNothing(t *testing.T) {
	y := newYard(t)
	if err := os.RemoveAll(y.cfg.Dir); err != nil {
		t.Fatal(err)
	}
	for range 20 { // more than may run at once
		res := y.Do(t, "exec", `{"argv":["cat"],"background":true}`)
		if res.Outcome != tools.Failed || !strings.Contains(res.Text, "cat did not start: the output of the command can't be kept: ") || !strings.HasSuffix(res.Text, "; make room in the state folder") {
			t.Fatalf("%+v", res)
		}
	}
	toolstest.Diff(t, "started", len(y.stage.actors), 0)
	if err := os.Mkdir(y.cfg.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if res := y.Do(t, "exec", `{"argv":["cat"],"background":true}`); res.Outcome != tools.OK {
		t.Errorf("%+v", res)
	}
}

func TestSessionThatIsOverKeepsNothingRunning(t *testing.T) {
	y := newYard(t)
	y.begin(t, "p1")
	child := tools.Origin{Agent: "main", Session: "sub:r1", Run: "sub"}
	if _, err := y.Call(t.Context(), child, tools.Call{Name: "exec", Args: json.RawMessage(`{"argv":["cat"],"background":true}`)}, nil); err != nil {
		t.Fatal(err)
	}
	y.keeper.EndSession("sub:r1")
	toolstest.Diff(t, "running", ids(y.running("")), "p1")
	r := y.ledger.record(t, "p2")
	toolstest.Diff(t, "how", r.How, "stopped: the sub-agent that started it was done, it and everything it started was ended")
	toolstest.Diff(t, "nobody is left to be told", []any{r.Delivered, ids(y.pending(""))}, []any{true, ""})
}
