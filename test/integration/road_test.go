package integration

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/policy/audit"
	"hardshell/runtime/event"
	"hardshell/test/scripted"
)

// done is a call as a person sees it: what was asked for, what policy said, what
// came of it.
type done struct{ Name, Args, Verdict, Outcome string }

// turn is what a question came to.
type turn struct {
	Status, Answer string
	Calls          []done
	Code           int
}

// sum sums a turn's events up.
func sum(events []event.Event, code int) turn {
	end := events[len(events)-1].End
	got := turn{Status: end.Status, Answer: end.Answer, Code: code}
	for _, c := range end.Calls {
		got.Calls = append(got.Calls, done{c.Name, sorted(c.Args), c.Verdict, c.Outcome})
	}
	return got
}

// sorted is a JSON object without space, its keys in order: the server hands
// arguments over in any order.
func sorted(raw json.RawMessage) string {
	var v map[string]any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(b)
}

// machine is what uname -m says here.
func machine(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("uname", "-m").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// The main job: question, call, policy, result, answer, record. One person, one
// conversation, each question a process of its own.
func TestMainJob(t *testing.T) {
	p := newPerson(t, "test/demo/workspace")
	for _, c := range []struct {
		question string
		want     turn
	}{
		{"What can you do?", turn{Answer: "I read the bench's logs and notes, run the commands that the policy allows, and write notes."}},
		{"Summarise logs/burn-in.log in one sentence.", turn{
			Answer: scripted.LogSummary,
			Calls:  []done{{"read", `{"path":"logs/burn-in.log"}`, "allow", "ok"}},
		}},
		{"Which processor is this?", turn{
			Answer: "It is an " + machine(t) + " machine, by uname.",
			Calls:  []done{{"exec", `{"argv":["uname","-m"]}`, "allow", "ok"}},
		}},
		{"Compare the log with the note's limits.", turn{
			Answer: "The note sets the warning limit at 85 C; the log went over it 2 times and never reached the shut-down.",
			Calls: []done{
				{"read", `{"limit":12,"path":"notes/speaker-board.md"}`, "allow", "ok"},
				{"exec", `{"argv":["grep","-c","over the warning limit","logs/burn-in.log"]}`, "allow", "ok"},
			},
		}},
		{"Write a note about it.", turn{
			Answer: "The finding is in notes/C-017.md.",
			Calls:  []done{{"write", `{"content":"# C-017\n\nPassed the burn-in; 2 temperature warnings, highest 87.5 C.\n","path":"notes/C-017.md"}`, "allow", "ok"}},
		}},
		{"Correct the note.", turn{
			Answer: "The note now spells the number out.",
			Calls:  []done{{"edit", `{"new":"two temperature warnings","old":"2 temperature warnings","path":"notes/C-017.md"}`, "allow", "ok"}},
		}},
		{"Read both files.", turn{
			Answer: "Both files are read.",
			Calls: []done{
				{"read", `{"path":"notes/speaker-board.md"}`, "allow", "ok"},
				{"read", `{"limit":3,"path":"logs/burn-in.log"}`, "allow", "ok"},
			},
		}},
		{"Reboot the machine.", turn{
			Status: "refused", Code: 3,
			Answer: "I did not reboot this machine: the policy refuses it from here. A person can do it at the console.",
			Calls:  []done{{"exec", `{"argv":["reboot"]}`, "deny", "refused"}},
		}},
		{"Read the password file.", turn{
			Status: "refused", Code: 3,
			Answer: "That file is outside of what I may read.",
			Calls:  []done{{"read", `{"path":"/etc/shadow"}`, "deny", "refused"}},
		}},
		{"How are you set up?", turn{
			Answer: "The status above names the model, the session and what its window holds.",
			Calls:  []done{{"session_status", `{}`, "allow", "ok"}},
		}},
		// The call comes as a text in a fence; only its exact form is taken.
		{"Show the memory.", turn{
			Answer: "The memory names the golden sample, the thermal pad and the pull-ups.",
			Calls:  []done{{"read", `{"path":"MEMORY.md"}`, "allow", "ok"}},
		}},
	} {
		if c.want.Status == "" {
			c.want.Status = "done"
		}
		got := sum(p.ask(c.question))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.question, diff)
		}
	}
	if diff := cmp.Diff("# C-017\n\nPassed the burn-in; two temperature warnings, highest 87.5 C.\n", p.file("notes/C-017.md")); diff != "" {
		t.Errorf("notes/C-017.md (-want +got):\n%s", diff)
	}
	checkRecord(t, p)
}

// checkRecord holds the audit against what the main job did.
func checkRecord(t *testing.T, p *person) {
	t.Helper()
	p.must("audit", "verify")
	var tail struct {
		Records []audit.Line `json:"records"`
	}
	if err := json.Unmarshal([]byte(p.must("audit", "tail", "--json", "-n", "1000")), &tail); err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]int{}
	for _, r := range tail.Records {
		if r.Kind != "decision" {
			continue
		}
		verdicts[r.Tool+" "+r.Verdict]++
		if r.Rule == "" || r.Reason == "" || r.Subject == "" || r.Digest == "" {
			t.Errorf("record %d does not say all that was decided: %+v", r.Seq, r)
		}
	}
	want := map[string]int{
		"read allow": 5, "exec allow": 2, "exec deny": 1, "read deny": 1, "write allow": 1, "edit allow": 1, "session_status allow": 1,
	}
	if diff := cmp.Diff(want, verdicts); diff != "" {
		t.Errorf("decisions on record (-want +got):\n%s", diff)
	}
}

// A conversation on stdin: three turns in one process; by the server's own log
// the second and third reuse at least 95 % of the prompt before.
func TestChatReusesThePrefix(t *testing.T) {
	p := newPerson(t, "test/demo/workspace")
	before := p.lab.count(t)
	o := p.run("What can you do?\nAnd in one word?\nThank you!\n", "chat")
	want := outcome{0, "I read the bench's logs and notes, run the commands that the policy allows, and write notes.\nBench work.\nGood luck at the bench.\n", o.Stderr}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Fatalf("chat (-want +got):\n%s", diff)
	}
	slots := p.lab.added(t, before)
	if len(slots) < 3 {
		t.Fatalf("the server logged %d requests, want one for each turn at least: %+v", len(slots), slots)
	}
	for i := 1; i < len(slots); i++ {
		t.Logf("request %d reused %s", i+1, share(slots[i-1], slots[i]))
		if slots[i].Used*100 < slots[i-1].Prompt*95 {
			t.Errorf("request %d reused %s: the prefix broke", i+1, share(slots[i-1], slots[i]))
		}
	}
}

// The same over processes and with tool calls: the history is stored and sent
// again byte for byte, so that the server finds its prefix.
func TestAskReusesThePrefix(t *testing.T) {
	p := newPerson(t, "test/demo/workspace")
	before := p.lab.count(t)
	for _, q := range []string{"Summarise logs/burn-in.log", "Which processor is this?", "Thank you!"} {
		if got := sum(p.ask(q)); got.Status != "done" {
			t.Fatalf("%s: %+v", q, got)
		}
	}
	slots := p.lab.added(t, before)
	if len(slots) < 5 {
		t.Fatalf("the server logged %d requests, want 5 at least: %+v", len(slots), slots)
	}
	for i := 1; i < len(slots); i++ {
		t.Logf("request %d reused %s", i+1, share(slots[i-1], slots[i]))
		if slots[i].Used*100 < slots[i-1].Prompt*95 {
			t.Errorf("request %d reused %s: the prefix broke", i+1, share(slots[i-1], slots[i]))
		}
	}
}

// A model that never stops ends at the cap; the person is told by which limit.
func TestAskCapsAnEndlessAnswer(t *testing.T) {
	p := newPerson(t, "")
	config := p.dir + "/config.toml"
	write(t, config, "[model]\nnum_predict = 64\n")
	p.env = append(p.env, "HARDSHELL_CONFIG="+config)
	events, code := p.ask("Count!")
	end := events[len(events)-1].End
	if got, want := strings.TrimSpace(end.Answer), strings.TrimSpace(strings.Repeat(" tick tock", 32)); !strings.HasPrefix(got, want) {
		t.Errorf("the answer is %q, want it to begin with %q", got, want)
	}
	told := false
	for _, e := range events {
		told = told || e.Notice != nil && strings.Contains(e.Notice.Message+e.Notice.Hint, "model.num_predict")
	}
	if end.Error != nil {
		told = told || strings.Contains(end.Error.Message+end.Error.Hint, "model.num_predict")
	}
	if !told {
		t.Errorf("nothing tells of model.num_predict: exit %d, %+v", code, events)
	}
}
