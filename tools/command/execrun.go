package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hardshell/policy"
	"hardshell/policy/wording"
	"hardshell/tools"
	"hardshell/tools/lookup"
	"hardshell/tools/text"
)

// program is one program to launch, and what is told or looked for when it is over.
type program struct {
	tools.Command
	notes []string      // what policy says of its output
	repos *repositories // nil where it can make none
}

// program is the program that policy judged, ready to start.
func (e *ExecTool) program(x *policy.Exec, judged tools.Judged) (program, error) {
	c := program{Command: tools.Command{Argv: x.Argv, Dir: x.Cwd, Env: x.Env, Stdin: x.Stdin, Start: judged.Start}, notes: judged.Grants.Notes}
	var err error
	if c.Devices, err = granted(judged.Grants.Devices, "/dev/"); err != nil {
		return c, err
	}
	if c.Read, err = granted(judged.Grants.Sys, "/sys/"); err != nil {
		return c, err
	}
	c.Read = append(c.Read, e.seen(judged)...)
	found, err := lookup.Look(e.cfg.Roots.Workspace(), judged.Unreadable)
	if err != nil {
		return c, err
	}
	c.Hidden, c.Pinned = found.Hidden, found.Pinned
	if !judged.Grants.Repos {
		c.Locked = found.Locked()
		if judged.Grants.Free && found.Repos != nil {
			c.repos = &repositories{found.Top, found.Repos, func() (map[string]string, error) {
				after, err := lookup.Look(e.cfg.Roots.Workspace(), judged.Unreadable)
				return after.Repos, err
			}}
		}
	}
	for _, p := range judged.Facts.Programs {
		c.WritableRun = c.WritableRun || p.Writable
	}
	if x.Script != "" {
		sh, ok := lookup.Program(lookup.SystemDirs(), "/", "sh", 0)
		if !ok || sh.Writable {
			return c, fmt.Errorf("there is no shell in the system folders; use argv")
		}
		c.Path, c.Argv = sh.Real, []string{"sh", "-c", x.Script}
		return c, nil
	}
	prog, ok := judged.Facts.Programs[x.Argv[0]]
	if !ok {
		return c, fmt.Errorf("the program %s was not found in the system folders; look for it or use another one", wording.Word(x.Argv[0]))
	}
	c.Path = prog.Real
	return c, nil
}

// granted expands the path patterns of a grant to what exists now. A link that
// leads out of the tree grants nothing.
func granted(patterns []string, tree string) ([]string, error) {
	var out []string
	for _, p := range patterns {
		found, ok := lookup.Glob("/", p)
		if !ok {
			return nil, fmt.Errorf("the policy grants %s, which can't be expanded; ask the operator to correct it", p)
		}
		for _, f := range found {
			if real, err := lookup.Follow(f); err == nil && strings.HasPrefix(real, tree) {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// seen are the paths that policy opened to the command and that do not lie where
// every command can look: files, what /sys shows, and folders to list. A folder
// that may only be read elsewhere is not shown, since that would show what lies in
// it as well.
func (e *ExecTool) seen(judged tools.Judged) []string {
	shown := append([]string{"/proc", "/dev"}, lookup.SystemTrees()...)
	shown = append(shown, e.cfg.Roots.WorkspaceNames()...)
	var out []string
	for _, p := range judged.Facts.Paths {
		list := slices.Contains(judged.Grants.List, p.Real)
		folder := p.Kind == "dir" && p.Real != "/" && (list || strings.HasPrefix(p.Real, "/sys/"))
		switch {
		case !list && !slices.Contains(judged.Grants.Read, p.Real):
		case !p.Exists || p.Kind != "file" && !folder || lookup.Under(shown, p.Real):
		case lookup.Under(shown, p.Abs):
			out = append(out, p.Real) // the link on the way is there, what it leads to is not
		default:
			out = append(out, p.Abs)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// run starts what was judged and shapes what it wrote.
func (e *ExecTool) run(ctx context.Context, x *policy.Exec, judged tools.Judged, limit time.Duration, say func(string)) (tools.Output, error) {
	c, err := e.program(x, judged)
	if err != nil {
		return tools.Output{}, err
	}
	got := text.NewCapture(e.cfg.Limits, e.cfg.Redactor, say)
	c.Timeout, c.Output = limit, got.Write
	exit, err := launch(ctx, e.cfg.Launcher, c)
	if err != nil {
		return tools.Output{}, notStarted(c, err)
	}
	why := ""
	if ctx.Err() != nil {
		why = errTurnOver.Error()
	}
	shown, cut, note := got.Text()
	return e.ended(c, exit, howItEnded(exit, limit, why), shown, cut, note), nil
}

// notStarted is the error of a command that never ran.
func notStarted(c program, err error) error {
	return fmt.Errorf("%s did not start: %w", wording.Word(c.Argv[0]), err)
}

// begin starts what may go to the background, waits for it as long as the call
// wants, and hands it over if it still runs then.
func (e *ExecTool) begin(ctx context.Context, from tools.Origin, a policy.Action, judged tools.Judged, limit, wait time.Duration, say func(string)) (tools.Output, error) {
	x := a.Command()
	c, err := e.program(x, judged)
	if err != nil {
		return tools.Output{}, err
	}
	c.Timeout = limit
	p, err := e.cfg.Processes.start(ctx, ProcessRecord{
		Agent: from.Agent, Session: from.Session, Subject: tools.Line(a.Redacted(e.cfg.Redactor.Redact).Command()), Digest: a.Digest(), Cwd: e.cfg.Roots.Relative(x.Cwd),
	}, *x, c, say)
	if err != nil {
		return tools.Output{}, notStarted(c, err)
	}
	p.wait(ctx, wait)
	p.out.quiet()
	handed, err := p.handOver()
	if err != nil {
		p.stop(err)
	}
	if handed {
		return e.handed(p, c), nil
	}
	<-p.done
	defer p.drop()
	switch {
	case err != nil:
		return tools.Output{}, err
	case p.err != nil:
		return tools.Output{}, notStarted(c, p.err)
	}
	shown, cut, note := p.out.end()
	return e.ended(c, p.exit, howItEnded(p.exit, limit, p.why), shown, cut, note), nil
}

// handed is the result of a command that goes on in the background.
func (e *ExecTool) handed(p *background, c program) tools.Output {
	r, _ := p.record()
	shown, cut := p.out.fresh()
	out := tools.Output{Cut: cut, Layers: p.started.Layers}
	out.Text = fmt.Sprintf("%s[%s runs on in the background, cwd %s, at most %s (timeout_s, else exec.max_timeout)%s. You are told when it ends]",
		text.EndLine(shown), r.ID, r.Cwd, r.Limit, weaker(p.started.Weaker))
	for _, n := range append(slices.Clone(c.notes), e.hiddenNote(c)) {
		if n != "" {
			out.Text += "\n[" + n + "]"
		}
	}
	return out
}

// ended is the result of a command that is over.
func (e *ExecTool) ended(c program, exit tools.Exit, how, shown, cut, note string) tools.Output {
	out := tools.Output{Cut: cut, Layers: exit.Layers, Starts: exit.AllStarts(), Failed: failed(exit)}
	if shown == "" {
		how += ", no output"
	}
	out.Text = fmt.Sprintf("%s[%s, cwd %s%s]", text.EndLine(shown), how, e.cfg.Roots.Relative(c.Dir), weaker(exit.Weaker))
	for _, n := range slices.Concat(exit.Struck, []string{startsNote(exit.Refused), note}, c.notes, []string{e.hiddenNote(c), e.lockedNote(c, shown)}) {
		if n != "" {
			out.Text += "\n[" + n + "]"
		}
	}
	return out
}

// howItEnded says it in the words of a shell user; why is what ended it from
// outside, empty when nothing did. Durations stand in it only in whole seconds, so
// that equal runs read equal.
func howItEnded(x tools.Exit, limit time.Duration, why string) string {
	var s string
	switch {
	case x.TimedOut:
		s = fmt.Sprintf("timed out after %s (timeout_s, else exec.timeout; the most is exec.max_timeout), it and everything it started was ended", text.Span(limit))
	case x.Flooded:
		s = "ended because it wrote without end; send output to a file or ask for less"
	case why != "":
		s = "stopped: " + why + ", it and everything it started was ended"
	case x.Signal != "":
		s = "ended by " + x.Signal
	default:
		s = fmt.Sprintf("exit %d", x.Code)
	}
	if t := x.Took.Truncate(time.Second); t > 0 && !x.TimedOut {
		s += ", " + text.Span(t)
	}
	return s
}

// weaker is the warning that a result carries when confinement is not whole.
func weaker(missing string) string {
	if missing == "" {
		return ""
	}
	return ", WEAKER SANDBOX: " + missing
}
