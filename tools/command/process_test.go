package command

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/text"
	"hardshell/tools/toolstest"
)

// background takes one call of the process tool through the door.
func (y *yard) process(t *testing.T, args string) tools.Result {
	t.Helper()
	return y.Do(t, "process", args)
}

func TestProcessArguments(t *testing.T) {
	y := newYard(t)
	y.begin(t, "p1")
	for args, want := range map[string]string{
		`{}`:                             `"action" is missing; it must be one of list, poll, log, write, keys, kill, remove`,
		`{"action":"stop"}`:              `"action" must be one of`,
		`{"action":"poll"}`:              `"id" is missing; poll needs one, and action list gives them`,
		`{"action":"poll","id":"p2"}`:    `no command "p2" runs in the background here or is known to have run; this session has p1.`,
		`{"action":"poll","id":"../p1"}`: `no command "../p1"`,
		`{"action":"poll","id":"p1","wait_ms":30001}`:                               `"wait_ms" must be between 0 and 30000, not 30001`,
		`{"action":"write","id":"p1"}`:                                              `"text" is missing; write needs what to write`,
		`{"action":"keys","id":"p1"}`:                                               `"text" must name a key, such as ctrl-c or enter`,
		`{"action":"keys","id":"p1","text":"ctrl-z"}`:                               `"text" names no key "ctrl-z"; the keys are backspace, ctrl-\, ctrl-c, ctrl-d,`,
		`{"action":"log","id":"p1","offset":-1}`:                                    `"offset" must be 1 or more, a line, not -1`,
		`{"action":"log","id":"p1","limit":-1}`:                                     `"limit" must be 1 or more, a number of lines, not -1`,
		`{"action":"write","id":"p1","text":"` + strings.Repeat("x", 70_000) + `"}`: `"text" has 70000 bytes and the most is 65536; write it in parts`,
	} {
		if got := y.process(t, args); got.Outcome != tools.Invalid || !strings.Contains(got.Text, want) {
			t.Errorf("%.60s: %+v, want %q", args, got, want)
		}
	}
}

// A session sees its own commands and no other's, whatever it calls them by.
func TestCommandsOfOthersAreNotThere(t *testing.T) {
	y := newYard(t)
	y.begin(t, "p1")
	for _, from := range []tools.Origin{
		{Agent: "main", Session: "sub:r1", Run: "sub"},
		{Agent: "main", Session: "cron:j1", Run: "cron"},
		{Agent: "audio", Session: "main", Run: "chat", Attended: true},
	} {
		for action, want := range map[string]string{
			"list": "no command runs in the background, and none is known to have run",
			"poll": "there are none in this session", "log": "there are none in this session", "write": "there are none in this session",
			"keys": "there are none in this session", "kill": "there are none in this session", "remove": "there are none in this session",
		} {
			args := fmt.Sprintf(`{"action":%q,"id":"p1","text":"enter"}`, action)
			res, err := y.Call(t.Context(), from, tools.Call{Name: "process", Args: json.RawMessage(args)}, nil)
			if err != nil || !strings.Contains(res.Text, want) || strings.Contains(res.Text, "cat") {
				t.Errorf("%s by %s: %v %+v", action, from.Session, err, res)
			}
		}
	}
	toolstest.Diff(t, "still runs", ids(y.running("main")), "p1")
}

func TestListTellsEverythingOnce(t *testing.T) {
	y := newYard(t)
	toolstest.Diff(t, "none", y.process(t, `{"action":"list"}`).Text, "no command runs in the background, and none is known to have run")
	a := y.begin(t, "p1")
	y.begin(t, "p2")
	y.over(t, a, tools.Exit{Code: -1, Signal: "SIGSEGV"})
	toolstest.Diff(t, "list", y.process(t, `{"action":"list"}`).Text, "p1 ended by SIGSEGV: cat\np2 runs since 12:00:00: cat")
	toolstest.Diff(t, "pending", len(y.pending("")), 0)
}

func TestPollWaitsForNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newYard(t)
		a := y.begin(t, "p1")
		began := time.Now()
		res := y.process(t, `{"action":"poll","id":"p1","wait_ms":20000}`)
		toolstest.Diff(t, "in vain", []any{res.Text, res.Waited, time.Since(began)}, []any{"[p1 runs on, no new output; you are told when it ends]", true, 20 * time.Second})
		got := make(chan tools.Result, 1)
		poll := func() { got <- y.process(t, `{"action":"poll","id":"p1","wait_ms":20000}`) }
		began = time.Now()
		go poll()
		synctest.Wait()
		y.says(t, a, "news\n")
		res = <-got
		toolstest.Diff(t, "output", []any{res.Text, res.Waited, time.Since(began)}, []any{"news\n[p1 runs on]", false, time.Duration(0)})
		go poll()
		synctest.Wait()
		a.exit <- tools.Exit{Code: 3}
		res = <-got
		toolstest.Diff(t, "the end", []any{res.Text, res.Waited}, []any{"[p1 is over: exit 3; 5 bytes in all]", false})
		<-y.ended
		toolstest.Diff(t, "pending", len(y.pending("")), 0)
		res = y.process(t, `{"action":"poll","id":"p1"}`)
		toolstest.Diff(t, "short poll waits for nothing", res.Waited, false)
	})
}

func TestPollGivesWhatIsNewAndSaysWhatItLeavesOut(t *testing.T) {
	y := newYard(t, func(c *ProcessesConfig) { c.Limits = text.Limits{OutputBytes: 1000, OutputLines: 10} })
	a := y.begin(t, "p1")
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	for text := b.String(); text != ""; text = text[min(len(text), 30_000):] {
		y.says(t, a, text[:min(len(text), 30_000)])
	}
	res := y.process(t, `{"action":"poll","id":"p1"}`)
	if !strings.Contains(res.Text, "bytes before this are in the log (action log) …]\n") || !strings.HasSuffix(res.Text, "line 20000\n[p1 runs on]") ||
		!strings.Contains(res.Cut, "limit exec.output_lines = 10") || len(res.Text) > 1300 {
		t.Errorf("%d bytes, cut %q: %s", len(res.Text), res.Cut, res.Text)
	}
}

// TestLogOfMoreThanIsKept reads lines of an output that the kept file can't hold:
// while the command runs and after its end the same.
func TestLogOfMoreThanIsKept(t *testing.T) {
	const most = 100 << 10
	y := newYard(t, func(c *ProcessesConfig) {
		c.KeptBytes = most
		c.Limits = text.Limits{OutputBytes: 8 << 10, OutputLines: 50}
	})
	a := y.begin(t, "p1")
	total := 0
	for i := range 30 {
		text := strings.Repeat(fmt.Sprintf("%09d\n", i), 1000)
		total += len(text)
		y.says(t, a, text)
	}
	logs := func() (out []string) {
		for _, args := range []string{`"offset":1,"limit":2`, `"offset":3685,"limit":4`, `"offset":20000,"limit":3`, `"limit":2`, `"offset":29999,"limit":9`, `"offset":30001`, `"limit":51`} {
			text := y.process(t, `{"action":"log","id":"p1",`+args+`}`).Text
			text, _, _ = strings.Cut(text, "\n[p1 is over")
			out = append(out, strings.Replace(text, "[p1 runs on; ", "[", 1))
		}
		return out
	}
	before := logs()
	const mark = "197610 bytes were not kept (limit exec.kept_bytes = 102400)"
	toolstest.Diff(t, "start", before[0], "000000000\n000000000\n[lines 1-2 of 30000]")
	toolstest.Diff(t, "into the gap", before[1], "000000003\n000000003\n[… "+mark+" …]\n[lines 3685-3688 of 30000; "+mark+"]")
	toolstest.Diff(t, "in the gap", before[2], "[… "+mark+" …]\n[lines 20000-20002 of 30000; "+mark+"]")
	toolstest.Diff(t, "end", before[3], "000000029\n000000029\n[lines 29999-30000 of 30000]")
	toolstest.Diff(t, "beyond", before[4], "000000029\n000000029\n[lines 29999-30000 of 30000]")
	toolstest.Diff(t, "behind", before[5], "[the output has 30000 lines, offset 30001 is behind its end]")
	if !strings.HasSuffix(before[6], "[lines 29951-30000 of 30000; at most exec.output_lines = 50 at once]") {
		t.Error(before[6][len(before[6])-100:])
	}
	y.over(t, a, tools.Exit{})
	toolstest.Diff(t, "after the end", logs(), before)
	st, err := os.Stat(y.keeper.path("p1"))
	if err != nil || st.Size() > most {
		t.Errorf("kept file: %v, %d bytes", err, st.Size())
	}
	toolstest.Diff(t, "bytes", y.ledger.record(t, "p1").Bytes, int64(total))
	y.open(t)
	toolstest.Diff(t, "after a restart", logs(), before)
}

func TestCase121_BinaryOutputIsSummed(t *testing.T) {
	y := newYard(t)
	a := y.begin(t, "p1")
	y.says(t, a, "\x7fELF\x02\x01\x01\x00")
	y.says(t, a, strings.Repeat("\x00\xff", 2044))
	const sum = "binary, 4096 bytes, starting 7f 45 4c 46 02 01 01 00 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff 00 ff …\n"
	toolstest.Diff(t, "poll", y.process(t, `{"action":"poll","id":"p1"}`).Text, sum+"[p1 runs on]")
	toolstest.Diff(t, "log", y.process(t, `{"action":"log","id":"p1"}`).Text, sum+"[p1 runs on; lines 1-1 of 1]")
	y.over(t, a, tools.Exit{})
	kept, _ := os.ReadFile(y.keeper.path("p1"))
	toolstest.Diff(t, "kept", string(kept), sum)
	toolstest.Diff(t, "last", y.ledger.record(t, "p1").Last, sum)
}

// TestCase122_ColourCutAcrossReads writes what the case says, with polls in between.
func TestCase122_ColourCutAcrossReads(t *testing.T) {
	y := newYard(t)
	a := y.begin(t, "p1")
	y.says(t, a, "\x1b[3")
	toolstest.Diff(t, "half a sequence", y.process(t, `{"action":"poll","id":"p1"}`).Text, "[p1 runs on, no new output; you are told when it ends]")
	y.says(t, a, "1mRED\x1b[0m\nh\xc3")
	toolstest.Diff(t, "text", y.process(t, `{"action":"poll","id":"p1"}`).Text, "RED\nh\n[p1 runs on]")
	y.says(t, a, "\xbcte\n"+strings.Repeat("\x1b[32mgreen\x1b[0m\n", 2000))
	res := y.process(t, `{"action":"poll","id":"p1"}`)
	if !strings.HasPrefix(res.Text, "üte\ngreen\n") || strings.ContainsAny(res.Text, "\x1b") {
		t.Errorf("%.200q", res.Text)
	}
}

func TestSecretsAreRedactedEverywhere(t *testing.T) {
	y := newYard(t)
	y.Policy.Judge = func(policy.Action, policy.Facts) policy.Decision {
		return policy.Decision{Verdict: policy.Allow, Rule: "r"}
	}
	res := y.Do(t, "exec", `{"argv":["cat","s3cr3t-zz"],"background":true}`)
	a := <-y.stage.on
	y.says(t, a, "key s3cr")
	early := y.process(t, `{"action":"poll","id":"p1"}`)
	y.says(t, a, "3t-zz\n")
	written := y.process(t, `{"action":"write","id":"p1","text":"s3cr3t-zz\n"}`)
	toolstest.Diff(t, "the command gets the real one", <-a.typed, "s3cr3t-zz\n")
	y.over(t, a, tools.Exit{})
	kept, _ := os.ReadFile(y.keeper.path("p1"))
	all, _ := y.ledger.All()
	for what, text := range map[string]string{
		"result": res.Text, "half": early.Text, "write": written.Text, "kept": string(kept), "record": string(all["p1"]), "list": y.process(t, `{"action":"list"}`).Text,
		"log": y.process(t, `{"action":"log","id":"p1"}`).Text, "audit": fmt.Sprint(y.Auditor.Records),
	} {
		if strings.Contains(text, "s3cr3t-zz") || strings.Contains(text, "3t-zz") {
			t.Errorf("%s: %s", what, text)
		}
	}
	toolstest.Diff(t, "list", y.process(t, `{"action":"list"}`).Text, `p1 exit 0: cat "[secret LAB_KEY]"`)
}

// Text for a command is judged as if it had been started with it; signals and looks
// are not asked about.
func TestInputIsJudged(t *testing.T) {
	y := newYard(t)
	a := y.begin(t, "p1")
	var seen []policy.Action
	y.Policy.Judge = func(p policy.Action, f policy.Facts) policy.Decision {
		seen = append(seen, p)
		if p.Command() != nil && strings.Contains(p.Command().Stdin, "rm") {
			return policy.Decision{Rule: "no.rm", Reason: "no"}
		}
		return policy.Decision{Verdict: policy.Allow}
	}
	toolstest.Diff(t, "write", y.process(t, `{"action":"write","id":"p1","text":"hello\n"}`).Text, "[6 bytes to its stdin; p1 runs on]")
	toolstest.Diff(t, "typed", <-a.typed, "hello\n")
	toolstest.Diff(t, "refused", y.process(t, `{"action":"write","id":"p1","text":"rm x"}`).Text, "refused: no (rule no.rm)")
	toolstest.Diff(t, "keys", y.process(t, `{"action":"keys","id":"p1","text":"Up enter ctrl-c ctrl-\\ ctrl-d"}`).Text,
		`[up: "\x1b[A" to its stdin; enter: "\n" to its stdin; ctrl-c: SIGINT to its group; ctrl-\: SIGQUIT to its group; ctrl-d: its stdin ended; p1 runs on]`)
	toolstest.Diff(t, "pressed", []any{<-a.typed, <-a.typed, <-a.sigs, <-a.sigs, <-a.typed}, []any{"\x1b[A", "\n", syscall.SIGINT, syscall.SIGQUIT, "EOF"})
	toolstest.Diff(t, "behind the end of its input", y.process(t, `{"action":"keys","id":"p1","text":"ctrl-c tab"}`).Text,
		"failed: p1: its stdin is closed: it got stdin at its start, or ctrl-d ended it; kill it and start it without stdin (before that: ctrl-c: SIGINT to its group)")
	y.process(t, `{"action":"keys","id":"p1","text":"ctrl-c"}`)
	x := policy.Exec{Argv: []string{"cat"}, Cwd: y.Dir, Background: true, Stdin: "hello\n"}
	toolstest.Diff(t, "judged text", seen[0], policy.Action{Tool: "process", Kind: &policy.Process{Op: "write", ID: "p1", Input: true, Exec: &x}})
	toolstest.Diff(t, "judged signal", seen[4], policy.Action{Tool: "process", Kind: &policy.Process{Op: "keys", ID: "p1"}})
	toolstest.Diff(t, "subject", y.Auditor.Records[2].Subject, `process write p1: cat (in `+y.Dir+`, stdin "hello\n", in the background)`)
	y.over(t, a, tools.Exit{})
	toolstest.Diff(t, "too late", y.process(t, `{"action":"write","id":"p1","text":"x"}`).Text, "failed: p1 is over (exit 0), so nothing reaches it; start it again with exec")
}

func TestKillTellsOfTheEndAndWakesNobody(t *testing.T) {
	y := newYard(t)
	a := y.begin(t, "p1")
	y.says(t, a, "last words\n")
	const over = "[p1 is over: stopped: process was told to end it, it and everything it started was ended; 11 bytes in all]"
	toolstest.Diff(t, "remove what runs", y.process(t, `{"action":"remove","id":"p1"}`).Text, "failed: p1 still runs; kill it first")
	toolstest.Diff(t, "kill", y.process(t, `{"action":"kill","id":"p1"}`).Text, "last words\n"+over)
	toolstest.Diff(t, "pending", len(y.pending("")), 0)
	toolstest.Diff(t, "again", y.process(t, `{"action":"kill","id":"p1"}`).Text, strings.Replace(over, "[", "[nothing to end: ", 1))
	toolstest.Diff(t, "remove", y.process(t, `{"action":"remove","id":"p1"}`).Text, "[p1 is forgotten: stopped: process was told to end it, it and everything it started was ended]")
	toolstest.Diff(t, "gone", y.process(t, `{"action":"list"}`).Text, "no command runs in the background, and none is known to have run")
	all, _ := y.ledger.All()
	toolstest.Diff(t, "record", len(all["p1"]), 0)
	y.begin(t, "p2")
}

// TestTwinCalls starts, polls, feeds, kills and removes from many goroutines at once.
func TestTwinCalls(t *testing.T) {
	y := newYard(t, func(c *ProcessesConfig) { c.Max, c.Kept = 100, 100 })
	go func() {
		for a := range y.stage.on {
			go func() {
				for range 5 {
					select {
					case a.out <- "tick\n":
					case <-time.After(time.Second):
						return
					}
				}
			}()
		}
	}()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				res := y.Do(t, "exec", `{"argv":["cat"],"background":true}`)
				id, _, _ := strings.Cut(strings.TrimPrefix(res.Text[strings.LastIndex(res.Text, "[p"):], "["), " ")
				var same sync.WaitGroup
				for _, action := range []string{"poll", "log", "list", "kill", "kill", "write"} {
					same.Go(func() {
						res := y.process(t, fmt.Sprintf(`{"action":%q,"id":%q,"text":"x","wait_ms":5}`, action, id))
						if res.Outcome == tools.Invalid {
							t.Errorf("%s: %s", action, res.Text)
						}
					})
				}
				same.Wait()
				if res := y.process(t, `{"action":"poll","id":"`+id+`"}`); !strings.Contains(res.Text, "is over") && !strings.Contains(res.Text, "no command") {
					t.Errorf("after kill: %s", res.Text)
				}
			}
		})
	}
	all.Wait()
	y.keeper.Close()
	close(y.stage.on)
	toolstest.Diff(t, "running", []any{y.keeper.running, len(y.running(""))}, []any{0, 0})
}

func TestNothingStartsWhileTheAgentStops(t *testing.T) {
	y := newYard(t)
	y.begin(t, "p1")
	y.keeper.Close()
	toolstest.Diff(t, "how", y.ledger.record(t, "p1").How, "stopped: the agent stopped, it and everything it started was ended")
	toolstest.Diff(t, "told to nobody", len(y.ended), 0)
	toolstest.Diff(t, "next", y.Do(t, "exec", `{"argv":["cat"],"background":true}`).Text, "failed: cat did not start: the agent is stopping, so nothing starts any more")
	y.open(t)
	toolstest.Diff(t, "told later", ids(y.pending("main")), "p1")
}

// An answer to text for a command binds what its program and files hold, as an answer
// to the command itself does.
func TestAnswerToInputBindsWhatTheFilesHold(t *testing.T) {
	y := newYard(t)
	a := y.begin(t, "p1")
	asked := &toolstest.Approver{Answer: tools.AnswerOnce}
	y.Policy.Judge = toolstest.Always(policy.Ask).Judge
	y.Policy.Subjects = policy.Subjects{Paths: []string{"plot.py"}}
	y.With(func(cfg *tools.Config) { cfg.Approver = asked })
	y.File(t, "plot.py", "print(1)")
	toolstest.Diff(t, "allowed", y.process(t, `{"action":"write","id":"p1","text":"x"}`).Text, "[1 bytes to its stdin; p1 runs on]")
	<-a.typed
	asked.Meanwhile = func() { y.File(t, "plot.py", "print(2)") }
	got := y.process(t, `{"action":"write","id":"p1","text":"x"}`)
	toolstest.Diff(t, "changed meanwhile", []any{got.Outcome, got.Decision.Rule, len(a.typed)}, []any{tools.Refused, "approval.changed", 0})
}

// TestUnattendedRunsMindTheirCommands: nobody is asked, so input that needs a yes is
// refused, while looking and ending go on.
func TestUnattendedRunsMindTheirCommands(t *testing.T) {
	y := newYard(t)
	alone := toolstest.Person
	alone.Run, alone.Attended = "cron", false
	y.begin(t, "p1")
	y.Policy.Judge = func(p policy.Action, _ policy.Facts) policy.Decision {
		if p.Command() != nil {
			return policy.Decision{Verdict: policy.Ask, Rule: "r", Reason: "a person looks at it"}
		}
		return policy.Decision{Verdict: policy.Allow}
	}
	for args, want := range map[string]string{
		`{"action":"write","id":"p1","text":"x"}`: "refused: this needs a person's approval and no person is present",
		`{"action":"poll","id":"p1"}`:             "[p1 runs on, no new output",
		`{"action":"list"}`:                       "p1 runs since",
	} {
		res, err := y.Call(t.Context(), alone, tools.Call{Name: "process", Args: json.RawMessage(args)}, nil)
		if err != nil || !strings.HasPrefix(res.Text, want) {
			t.Errorf("%s: %v %s", args, err, res.Text)
		}
	}
	res, err := y.Call(t.Context(), alone, tools.Call{Name: "process", Args: json.RawMessage(`{"action":"kill","id":"p1"}`)}, nil)
	if err != nil || !strings.Contains(res.Text, "p1 is over: stopped") {
		t.Errorf("%v %s", err, res.Text)
	}
}

// A disk that is full costs the start of what is kept, and the log says so.
func TestOutputOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	o := newOutput(text.Limits{}, nil, full, 1<<20, nil)
	for range 200 {
		o.Write([]byte(strings.Repeat("x", 999) + "\n"))
	}
	k, err := o.kept()
	if err != nil {
		t.Fatal(err)
	}
	_, says := k.pick(1, 2, 1<<20)
	toolstest.Diff(t, "says", says, "lines 1-2 of 200; 135000 bytes were not kept (write /dev/full: no space left on device)")
	if _, err := o.settle(); err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("settled: %v", err)
	}
}
