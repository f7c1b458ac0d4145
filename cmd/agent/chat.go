package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"

	"hardshell/cmd/agent/app"
	"hardshell/cmd/agent/term"
	"hardshell/runtime"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/gateway"
	"hardshell/runtime/session"
	"hardshell/tools/secret"
)

func chatCommand() subcommand {
	var to address
	return subcommand{
		name: "chat", short: "talk, message by message", prompts: true,
		long: `
A conversation at the terminal: arrow keys edit and recall, /help lists the slash
commands, Ctrl-C stops a turn and, pressed twice, ends the chat, Ctrl-D leaves.

Without a terminal each line of stdin is one message, so that a script can hold a
conversation; the exit code is 0 when every message got an answer, else that of
the last one that did not.

  agent chat
  agent chat --agent night
  printf 'what is in log.txt?\nand who wrote it?\n' | agent chat
`,
		flags: func(fs *flag.FlagSet) {
			to.register(fs, "`name` of the conversation, main unless given")
		},
		run: func(ctx context.Context, inv *invocation) error { return runChat(ctx, inv, &to) },
	}
}

// runChat holds one conversation.
func runChat(ctx context.Context, inv *invocation, to *address) error {
	if err := inv.noArgs("chat"); err != nil {
		return err
	}
	set, err := inv.reach()
	if err != nil {
		return err
	}
	id, err := to.id()
	if err != nil {
		return err
	}
	owner, _ := session.Owner(id)
	talk := newConversation(inv)
	h, err := openLink(ctx, inv, set, talk.show)
	if err != nil {
		return err
	}
	defer h.Close()
	talk.agent = h
	if _, err := ask(ctx, h, gateway.Status, owner); err != nil {
		return err // there may be no such agent
	}
	s := &chat{
		invocation: inv, talk: talk, link: h, session: id, limit: set.Turn.MaxQuestion,
		signals: make(chan os.Signal, 2), wakes: wakes{link: h, session: id},
	}
	signal.Notify(s.signals, os.Interrupt)
	defer signal.Stop(s.signals)
	ctx, cancel := context.WithCancel(ctx)
	defer s.wakes.end()
	defer cancel()
	h.wakeUp()
	if talk.attended() && term.IsTerminal(inv.stdout) && !inv.json {
		h.warmUp(id)
		return s.atTerminal(ctx, set)
	}
	s.wakes.see = func(e event.Event) { talk.aside(talk.show, e) }
	return s.fromLines(ctx)
}

// chat is one conversation while it lasts.
type chat struct {
	*invocation
	talk    *conversation
	link    *link
	session string
	limit   config.ByteSize
	signals chan os.Signal
	wakes   wakes
}

// errQuit ends the chat because the person said so.
var errQuit = errors.New("quit")

// atTerminal talks to a person who types.
func (s *chat) atTerminal(ctx context.Context, set settings) error {
	state := set.State
	if app.OtherOwnerOf(state) != nil || set.wrong != nil {
		state = "" // another user's folder, or nobody knows what is secret
	}
	h := term.OpenHistory(state, set.Chat.History, secret.New(app.Secrets(set.Config, s.getenv)))
	ed := term.NewEditor(s.talk.tty, s.stdout, h)
	beside := s.talk.voice.Beside(ed)
	s.wakes.see = func(e event.Event) { s.talk.aside(beside, e) }
	s.talk.voice.Say(term.Dim, "%s; /help lists what can be done", s.naming())
	once := false
	for {
		s.wakes.watch(ctx)
		line, err := ed.Read()
		switch {
		case errors.Is(err, term.ErrInterrupt) && once, errors.Is(err, io.EOF):
			return s.historyNote(h)
		case errors.Is(err, term.ErrInterrupt):
			once = true
			s.talk.voice.Say(term.Dim, "Ctrl-C again ends the chat")
			continue
		case err != nil:
			return err
		}
		once = false
		_, err = s.message(ctx, line)
		if errors.Is(err, errQuit) {
			return s.historyNote(h)
		}
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			p, code := judge(err)
			if code == exitInterrupted {
				return err
			}
			term.Report(p, false, s.stdout, s.stderr)
		}
	}
}

// naming names the conversation in words.
func (s *chat) naming() string {
	return "conversation " + s.session
}

// owner is the agent that is talked to.
func (s *chat) owner() string {
	agent, _ := session.Owner(s.session)
	return agent
}

// historyNote tells at the end that the input history could not be kept.
func (s *chat) historyNote(h *term.History) error {
	if h.Err() != nil {
		s.talk.voice.Notice(event.Notice{Code: "history", Message: "the input history could not be kept: " + h.Err().Error()})
	}
	return nil
}

// fromLines takes one message a line.
func (s *chat) fromLines(ctx context.Context) error {
	in := term.NewLines(s.stdin, int(s.limit))
	code := exitDone
	for {
		s.wakes.watch(ctx)
		line, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		status, err := s.message(ctx, line)
		if errors.Is(err, errQuit) {
			break
		}
		if err != nil {
			p, c := judge(err)
			term.Report(p, s.json, s.stdout, s.stderr)
			if c == exitInterrupted || ctx.Err() != nil || p.Code == "agent_gone" {
				return &failure{exit: c, told: true}
			}
			status = c
		}
		if status == exitInterrupted || status == exitModel {
			return &failure{exit: status, told: true} // the next message would fare no better
		}
		if status != exitDone && status != exitRefused {
			code = status
		}
	}
	if code != exitDone {
		return &failure{exit: code, told: true}
	}
	return nil
}

// message sends one message, or does what a slash command says. It gives the
// exit code that the turn would have.
func (s *chat) message(ctx context.Context, line string) (int, error) {
	if cmd, arg, ok := slash(line); ok && cmd == "skill" {
		all, err := skillsHere(s.invocation, s.owner())
		if err != nil {
			return exitUsage, err
		}
		if line, err = skillMessage(all, arg, s.limit); err != nil {
			return exitUsage, err
		}
	} else if ok {
		return exitDone, s.command(ctx, cmd, arg)
	}
	if blank(line) {
		return exitDone, nil
	}
	if err := checkQuestion(line, s.limit); err != nil {
		return exitUsage, err
	}
	end, err := s.interruptible(ctx, runtime.Ask{Session: s.session, Text: line})
	if err != nil {
		return exitFailed, err
	}
	return exitOf(end), nil
}

// interruptible runs a turn that the first Ctrl-C stops and the second abandons
// together with the chat.
func (s *chat) interruptible(ctx context.Context, ask runtime.Ask) (event.End, error) {
	ctx, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	done := make(chan struct{})
	defer close(done)
	for len(s.signals) > 0 {
		<-s.signals
	}
	go func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-s.signals:
			}
			if n > 0 {
				quit(context.Canceled)
				return
			}
			// A turn that ends in the same moment needs no stop.
			go func() { _, _ = s.talk.agent.Stop(ctx, s.session) }()
		}
	}()
	return s.talk.turn(ctx, ask)
}
