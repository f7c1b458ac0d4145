package main

import (
	"context"
	"flag"
	"os"
	"strings"

	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/config"
)

func askCommand() subcommand {
	var q runtime.Ask
	var to address
	return subcommand{
		name: "ask", args: "QUESTION… | -", short: "ask one question, show the answer, exit",
		long: `
Asks one question and streams the answer to stdout; tool calls, verdicts and what
it cost go to stderr. With "-" the question is read from stdin. A question that
begins with a dash goes behind "--".

With --json every event of the turn is one line; the last is turn.end.

  agent ask "what is in log.txt?"
  dmesg | tail -n 50 | agent ask -
  agent ask --agent night "what is due?"
`,
		flags: func(fs *flag.FlagSet) {
			to.register(fs, "`name` of the conversation, main unless given")
			fs.BoolVar(&q.New, "new", false, "start the conversation anew")
		},
		run: func(ctx context.Context, inv *invocation) error {
			set, err := inv.reach()
			if err != nil {
				return err
			}
			if q.Session, err = to.id(); err != nil {
				return err
			}
			if q.Text, err = questionOf(inv, set.Turn.MaxQuestion); err != nil {
				return err
			}
			return askOnce(ctx, inv, set, q)
		},
	}
}

// questionOf is the question of the command line, or of stdin.
func questionOf(inv *invocation, limit config.ByteSize) (string, error) {
	text := strings.Join(inv.args, " ")
	if len(inv.args) == 1 && inv.args[0] == "-" {
		var err error
		if text, err = readAll(inv.stdin, limit); err != nil {
			return "", err
		}
	}
	return text, checkQuestion(text, limit)
}

// Ask runs one turn and ends with its exit code.
func askOnce(ctx context.Context, inv *invocation, set settings, q runtime.Ask) error {
	talk := newConversation(inv)
	h, err := openLink(ctx, inv, set, talk.show)
	if err != nil {
		return err
	}
	defer h.Close()
	talk.agent = h
	end, err := talk.turn(ctx, q)
	if err != nil {
		return err
	}
	if code := exitOf(end); code != exitDone {
		return &failure{exit: code, told: true}
	}
	return nil
}

// newConversation is the way in which this command line talks and asks.
func newConversation(inv *invocation) *conversation {
	v := term.NewVoice(inv.stdout, inv.stderr, inv.getenv)
	talk := &conversation{show: v, voice: v}
	if inv.json {
		talk.show = term.JSONLines{Out: inv.stdout}
	}
	if in, ok := inv.stdin.(*os.File); ok && term.IsTerminal(in) && term.IsTerminal(inv.stderr) {
		talk.tty = in
	}
	return talk
}
