package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hardshell/cmd/agent/term"
	"hardshell/policy/wording"
	"hardshell/runtime"
	"hardshell/runtime/gateway"
)

// slashHelp lists the slash commands.
const slashHelp = `/status        what the agent is and does, and what is new
/context       what the prompt is made of, with sizes; /context detail, prompt, diff
/processes     the commands in the background; /processes log ID, /processes kill ID
/model NAME    the model of this conversation from now on, by name or alias; default
/think LEVEL   how much it thinks before it answers: off, low, medium, high, default
/reasoning …   what you see of that: off, on (one block), stream (as it comes), default
/skill NAME …  load a skill's text and follow it, with what else you say
/new           start the conversation anew, with today's workspace files
/reset         the same
/stop          stop the turn that runs in this conversation, from any terminal
/help          this list
/quit          leave (Ctrl-D does as well)

A message that begins with a slash and is none of these: put a space before it.
`

// slashCommands are the commands of slashHelp by name, for the prompt.
func slashCommands() []string {
	var out []string
	for line := range strings.Lines(slashHelp) {
		if name, _, _ := strings.Cut(line, " "); strings.HasPrefix(name, "/") {
			out = append(out, name)
		}
	}
	return out
}

// slash splits a slash command; ok is false for an ordinary message. A path is no
// command.
func slash(line string) (name, arg string, ok bool) {
	if !strings.HasPrefix(line, "/") {
		return "", "", false
	}
	name, arg, _ = strings.Cut(strings.TrimSpace(line[1:]), " ")
	for _, r := range name {
		if r < 'a' || r > 'z' {
			return "", "", false
		}
	}
	return name, strings.TrimSpace(arg), name != ""
}

// blank reports whether a line says nothing.
func blank(line string) bool { return strings.TrimSpace(line) == "" }

// subcommand does what a slash command says.
func (s *chat) command(ctx context.Context, name, arg string) error {
	if arg != "" && !slices.Contains([]string{"context", "processes", "model", "think", "reasoning"}, name) {
		return usageError("/help lists the commands", "/%s takes no %q", name, arg)
	}
	switch name {
	case "help":
		fmt.Fprint(s.stderr, slashHelp)
		return nil
	case "quit":
		return errQuit
	case "status":
		return showStatus(ctx, s.invocation, s.link, s.owner())
	case "context":
		return s.showContext(ctx, arg)
	case "processes":
		return s.processes(ctx, arg)
	case "model":
		return s.adjust(ctx, runtime.Change{Session: s.session, Model: arg})
	case "think":
		return s.adjust(ctx, runtime.Change{Session: s.session, Think: arg})
	case "reasoning":
		return s.adjust(ctx, runtime.Change{Session: s.session, Reasoning: arg})
	case "new", "reset":
		if _, err := ask(ctx, s.link, gateway.Reset, s.session); err != nil {
			return err
		}
		s.told("%s starts anew; what was said before stays on record", s.naming())
		return nil
	case "stop":
		stopped, err := s.talk.agent.Stop(ctx, s.session)
		if err != nil {
			return err
		}
		if stopped {
			s.told("stopped")
		} else {
			s.told("no turn runs in %s", s.naming())
		}
		return nil
	}
	meant := wording.Meant("/"+name, "", slashCommands())
	if name == "jobs" {
		meant = ", did you mean /processes?"
	}
	return usageError("/help lists the commands; a space before the slash makes it a message", "there is no command /%s%s", name, meant)
}

// told says what a slash command did; with --json nothing but events is printed.
func (s *chat) told(format string, args ...any) {
	if !s.json {
		s.talk.voice.Say(term.Dim, format, args...)
	}
}
