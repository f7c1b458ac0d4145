package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"hardshell/tools"
	"hardshell/tools/text"
)

// processCall is one call about one command.
type processCall struct {
	t     *ProcessTool
	proc  *background
	args  processArgs
	press []key
}

// killWait bounds how long an end is waited for: the launcher takes three seconds
// at most.
const killWait = 10 * time.Second

func (p processCall) do(ctx context.Context) (tools.Output, error) {
	switch p.args.Action {
	case "poll":
		return p.poll(ctx, ""), nil
	case "log":
		return p.log()
	case "write", "keys":
		did, err := p.feed()
		if err != nil {
			return tools.Output{}, err
		}
		return p.poll(ctx, did), nil
	case "kill":
		return p.kill(ctx)
	case "remove":
		return p.remove()
	}
	return tools.Output{}, fmt.Errorf("process has no action %q; use list", p.args.Action)
}

// poll gives what is new, waiting for it as long as the call wants.
func (p processCall) poll(ctx context.Context, did string) tools.Output {
	waited := p.await(ctx)
	r, _ := p.proc.record()
	var out tools.Output
	if p.proc.out != nil { // else it ended under an earlier process, and the log has it all
		out.Text, out.Cut = p.proc.out.fresh()
	}
	out.Text = text.EndLine(out.Text)
	news := out.Text != "" || did != ""
	out.Waited = waited && !news && p.args.WaitMS >= int(time.Second/time.Millisecond)
	if did != "" {
		did += "; "
	}
	switch {
	case !r.Runs():
		out.Text += p.over(r, did)
	case news:
		out.Text += fmt.Sprintf("[%s%s runs on]", did, r.ID)
	default:
		out.Text += fmt.Sprintf("[%s runs on, no new output; you are told when it ends]", r.ID)
	}
	return out
}

// await waits for text or the end, and reports whether it waited in vain.
func (p processCall) await(ctx context.Context) bool {
	if p.args.WaitMS == 0 || p.proc.out == nil {
		return false
	}
	limit := time.NewTimer(time.Duration(p.args.WaitMS) * time.Millisecond)
	defer limit.Stop()
	for {
		news, more := p.proc.out.waiting()
		if news {
			return false
		}
		select {
		case <-more:
		case <-p.proc.done:
			return false
		case <-limit.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// over tells of the end, which the model knows of from here on.
func (p processCall) over(r ProcessRecord, did string) string {
	s := fmt.Sprintf("[%s%s is over: %s; %d bytes in all]", did, r.ID, r.How, r.Bytes)
	if r.Fault != "" {
		s += "\n[" + r.Fault + "]"
	}
	if err := p.t.keeper.Delivered(r.ID); err != nil {
		s += "\n[" + err.Error() + "]"
	}
	return s
}

// feed gives text and keys to the command, in their order.
func (p processCall) feed() (did string, err error) {
	r, _ := p.proc.record()
	if !r.Runs() {
		return "", fmt.Errorf("%s is over (%s), so nothing reaches it; start it again with exec", r.ID, r.How)
	}
	var done []string
	for _, k := range p.press {
		if err := p.proc.press(k); err != nil {
			before := ""
			if len(done) > 0 {
				before = " (before that: " + strings.Join(done, "; ") + ")"
			}
			return "", fmt.Errorf("%s: %w%s", r.ID, err, before)
		}
		done = append(done, k.does)
	}
	return strings.Join(done, "; "), nil
}

// press gives one key, or a text, to the command.
func (p *background) press(k key) error {
	p.mu.Lock()
	live, open := p.started.Live, p.input
	if k.eof {
		p.input = false
	}
	p.mu.Unlock()
	switch {
	case k.signal != 0:
		if err := live.Signal(k.signal); err != nil {
			return fmt.Errorf("the signal did not reach it: %w; poll tells whether it still runs", err)
		}
		return nil
	case !open:
		return errors.New("its stdin is closed: it got stdin at its start, or ctrl-d ended it; kill it and start it without stdin")
	case k.eof:
		return live.CloseInput()
	}
	n, err := live.Write([]byte(k.text))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("it took %d of %d bytes and reads no more; poll to see what it does", n, len(k.text))
	case err != nil:
		return fmt.Errorf("it took %d of %d bytes: it closed its stdin, or has just ended", n, len(k.text))
	}
	return nil
}

// kill ends the command and everything that it started.
func (p processCall) kill(ctx context.Context) (tools.Output, error) {
	r, _ := p.proc.record()
	if !r.Runs() {
		return tools.Output{Text: p.over(r, "nothing to end: ")}, nil
	}
	if err := p.proc.end(ctx, errKilled); err != nil {
		return tools.Output{}, err
	}
	r, _ = p.proc.record()
	out := tools.Output{}
	out.Text, out.Cut = p.proc.out.fresh()
	out.Text = text.EndLine(out.Text) + p.over(r, "")
	return out, nil
}

// remove forgets a command that is over.
func (p processCall) remove() (tools.Output, error) {
	r, _ := p.proc.record()
	if r.Runs() {
		return tools.Output{}, fmt.Errorf("%s still runs; kill it first", r.ID)
	}
	if err := p.t.keeper.forget(r.ID); err != nil {
		return tools.Output{}, fmt.Errorf("remove %s: %w", r.ID, err)
	}
	return tools.Output{Text: fmt.Sprintf("[%s is forgotten: %s]", r.ID, r.How)}, nil
}
