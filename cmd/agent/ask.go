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

func askCommand() command {
	var ask runtime.Ask
	var to target
	return command{
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
			fs.BoolVar(&ask.New, "new", false, "start the conversation anew")
		},
		run: func(ctx context.Context, c *call) error {
			cfg, err := c.load()
			if err != nil {
				return err
			}
			if ask.Session, err = to.id(); err != nil {
				return err
			}
			if ask.Text, err = c.question(cfg.Turn.MaxQuestion); err != nil {
				return err
			}
			return c.ask(ctx, cfg, ask)
		},
	}
}

// question is the question of the command line, or of stdin.
func (c *call) question(limit config.ByteSize) (string, error) {
	text := strings.Join(c.args, " ")
	if len(c.args) == 1 && c.args[0] == "-" {
		var err error
		if text, err = readAll(c.stdin, limit); err != nil {
			return "", err
		}
	}
	return text, checkQuestion(text, limit)
}

// Ask runs one turn and ends with its exit code.
func (c *call) ask(ctx context.Context, cfg config.Config, ask runtime.Ask) error {
	talk := c.conversation()
	h, err := c.open(ctx, cfg, talk.show)
	if err != nil {
		return err
	}
	defer h.Close()
	talk.agent = h
	end, err := talk.turn(ctx, ask)
	if err != nil {
		return err
	}
	if code := exitOf(end); code != exitDone {
		return &failure{exit: code, told: true}
	}
	return nil
}

// conversation is the way in which this command line talks and asks.
func (c *call) conversation() *conversation {
	v := term.NewVoice(c.stdout, c.stderr, c.getenv)
	talk := &conversation{show: v, voice: v}
	if c.json {
		talk.show = term.JSONLines{Out: c.stdout}
	}
	if in, ok := c.stdin.(*os.File); ok && term.IsTerminal(in) && term.IsTerminal(c.stderr) {
		talk.tty = in
	}
	return talk
}
