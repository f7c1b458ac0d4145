package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/session"
)

func sessionsTurnCommand() subcommand {
	var of address
	return subcommand{
		name: "sessions turn", args: "[ID|last]", short: "what one turn really cost",
		long: `
Shows what a turn cost, from the store and without a model server: the parts of its
prompt with their sizes; for each model request the tokens that were read, reused,
expected to be reused and written; the times; each call with the rule that decided
it. What the server did not tell is unknown, not zero. ID is the last turn unless
given.

  agent sessions turn
  agent sessions turn --session main t7 --json
`,
		flags: func(fs *flag.FlagSet) { of.register(fs, "`name` of the conversation, main unless given") },
		run: func(ctx context.Context, inv *invocation) error {
			turn, err := turnNamed(inv, "sessions turn")
			if err != nil {
				return err
			}
			id, err := of.id()
			if err != nil {
				return err
			}
			h, err := connect(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			rec, err := ask(ctx, h, gateway.Record, gateway.RecordQuery{Session: id, Turn: turn})
			if err != nil {
				return err
			}
			return showTurn(inv, id, rec)
		},
	}
}

// turnNamed is the turn that a command line names, the last one unless given.
func turnNamed(inv *invocation, command string) (string, error) {
	switch len(inv.args) {
	case 0:
		return "last", nil
	case 1:
		return inv.args[0], nil
	}
	return "", usageError("agent help "+command, "%s takes one turn, not %d", command, len(inv.args))
}

// showTurn prints the record of a turn.
func showTurn(inv *invocation, id string, rec session.TurnRecord) error {
	if inv.json {
		term.JSON(inv.stdout, struct {
			Session string `json:"session"`
			session.TurnRecord
		}{id, rec})
		return nil
	}
	rep, err := reportOf(rec)
	if err != nil {
		return err
	}
	term.Table(inv.stdout, turnHead(id, rec, rep))
	fmt.Fprintln(inv.stdout)
	turnParts(inv, rep)
	turnRequests(inv, rep)
	turnCalls(inv, rec.Calls)
	return nil
}

// reportOf is the report in a turn's record.
func reportOf(rec session.TurnRecord) (runtime.Remarks, error) {
	var rep runtime.Remarks
	if len(rec.Report) == 0 {
		return rep, nil
	}
	if err := json.Unmarshal(rec.Report, &rep); err != nil {
		return rep, event.Errorf("bad_record", "read it as it is with --json", "the report of turn %s can't be read: %v", rec.ID, err)
	}
	return rep, nil
}

// turnHead says what a turn was and what it cost in all.
func turnHead(id string, rec session.TurnRecord, rep runtime.Remarks) [][]string {
	rows := [][]string{
		{"conversation", id},
		{"turn", rec.ID + ", " + rec.Status},
		{"began", rec.Started.Local().Format(time.DateTime)},
	}
	if rep.Run != "" {
		rows = append(rows, []string{"run", rep.Run})
	}
	if rep.Model != "" {
		rows = append(rows, []string{"model", fmt.Sprintf("%s, window %d tokens", rep.Model, rep.Window)})
	}
	rows = append(rows, []string{"cost", term.UsageLine(rec.Usage)}, []string{"server", serverTimes(rec.Usage)})
	if rep.Problem != nil {
		rows = append(rows, []string{"error", rep.Problem.Message})
	}
	if rec.Answer != "" {
		rows = append(rows, []string{"answer", rec.Answer})
	}
	return rows
}

// serverTimes says what the server spent its time on.
func serverTimes(u event.Usage) string {
	if u.Load+u.PromptEval+u.Eval == 0 {
		return "times unknown"
	}
	return fmt.Sprintf("loading %s, reading %s, writing %s", term.Millis(u.Load), term.Millis(u.PromptEval), term.Millis(u.Eval))
}

// turnParts lists the parts of the prompt.
func turnParts(inv *invocation, rep runtime.Remarks) {
	rows := [][]string{{"PART", "FILE", "BYTES", "~TOKENS", ""}}
	for _, p := range rep.Parts {
		if p.Used > 0 {
			rows = append(rows, []string{p.Name, p.Source, strconv.Itoa(p.Used), strconv.Itoa(p.Tokens), partNote(p)})
		}
	}
	if n := len(rep.Requests); n > 0 {
		last := rep.Requests[n-1]
		size := messageBytes(rep, last)
		tokens := size * last.Prompt / max(1, last.Bytes)
		rows = append(rows, []string{"messages", "", strconv.Itoa(size), strconv.Itoa(tokens), "as the last request sent them"})
	}
	term.Table(inv.stdout, rows)
}

// messageBytes is what a request sent beside system text and tool array.
func messageBytes(rep runtime.Remarks, r runtime.RequestReport) int {
	n, tools := r.Bytes, 0
	for _, p := range rep.Parts {
		n -= p.Used
		if strings.HasPrefix(p.Name, "tool ") {
			tools++
		}
	}
	if tools > 0 {
		n -= tools + 1 // brackets and commas of the array
	}
	return n
}

// turnRequests lists the model requests with their tokens.
func turnRequests(inv *invocation, rep runtime.Remarks) {
	rows := [][]string{{"REQUEST", "BYTES", "PROMPT", "REUSED", "NEW", "EXPECTED REUSE", "WRITTEN"}}
	for i, r := range rep.Requests {
		reused, fresh := "unknown", "unknown"
		if r.Reused != nil {
			reused, fresh = strconv.Itoa(*r.Reused), strconv.Itoa(r.Prompt-*r.Reused)
		}
		rows = append(rows, []string{
			strconv.Itoa(i + 1), strconv.Itoa(r.Bytes), strconv.Itoa(r.Prompt), reused, fresh, strconv.Itoa(r.Predicted), strconv.Itoa(r.Output),
		})
	}
	fmt.Fprintln(inv.stdout)
	term.Table(inv.stdout, rows)
}

// turnCalls lists the calls with policy's word.
func turnCalls(inv *invocation, calls []event.Tool) {
	if len(calls) == 0 {
		return
	}
	rows := [][]string{{"CALL", "TOOL", "VERDICT", "RULE", "OUTCOME", "TOOK", "ARGUMENTS"}}
	for _, t := range calls {
		verdict := t.Verdict
		if verdict == "" {
			verdict = "none"
		}
		rows = append(rows, []string{t.ID, t.Name, verdict, term.OrNone(t.Rule), t.Outcome, term.Millis(t.Millis), term.OneLine(term.PlainJSON(t.Args), 100)})
	}
	fmt.Fprintln(inv.stdout)
	term.Table(inv.stdout, rows)
}
