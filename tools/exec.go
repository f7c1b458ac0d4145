package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hardshell/policy"
)

// ExecConfig is what the exec tool is made of.
type ExecConfig struct {
	Launcher Launcher
	Roots    *Roots
	// Timeout is for a command that asked for none, MaxTimeout the most it may
	// ask for (exec.timeout, exec.max_timeout).
	Timeout, MaxTimeout time.Duration
	Limits              Limits
	Masker              *Masker
}

// Exec runs one program, or shell text.
type Exec struct{ cfg ExecConfig }

// NewExec makes the exec tool.
func NewExec(cfg ExecConfig) *Exec {
	if cfg.Timeout <= 0 {
		cfg.Timeout = time.Minute
	}
	if cfg.MaxTimeout <= 0 {
		cfg.MaxTimeout = 30 * time.Minute
	}
	return &Exec{cfg: cfg}
}

var _ Tool = (*Exec)(nil)

type execArgs struct {
	Argv     []string `json:"argv,omitempty"`
	Script   string   `json:"script,omitempty"`
	Cwd      string   `json:"cwd,omitempty"`
	Stdin    string   `json:"stdin,omitempty"`
	TimeoutS int      `json:"timeout_s,omitempty"`
}

var execSpec = sync.OnceValue(func() Spec {
	return Spec{
		Name:        "exec",
		Description: "Run a program",
		Guide:       `run a program: argv as a list such as ["ls","-l"], or script for sh text; each call starts in the workspace unless cwd is given`,
		Schema:      schemaOf[execArgs](),
	}
})

// Spec is how exec is offered.
func (*Exec) Spec() Spec { return execSpec() }

// Longest argument and argument list, below what the kernel takes.
const (
	maxArg  = 100 << 10
	maxArgv = 1 << 20
)

// Plan checks the command and its folder. What the program is and whether it may
// run is policy's word.
func (e *Exec) Plan(_ context.Context, _ Origin, raw json.RawMessage) (Plan, error) {
	var a execArgs
	if err := decodeArgs(raw, &a); err != nil {
		return Plan{}, err
	}
	if err := a.check(e.cfg.MaxTimeout); err != nil {
		return Plan{}, err
	}
	p := Plan{Action: policy.Action{Kind: policy.KindExec, Tool: "exec", Exec: &policy.Exec{
		Argv: a.Argv, Script: a.Script, Cwd: a.Cwd, Stdin: a.Stdin, TimeoutS: a.TimeoutS,
	}}}
	dir, err := e.folder(a.Cwd)
	if err != nil {
		return p, err
	}
	p.Action.Exec.Cwd = dir
	limit := e.cfg.Timeout
	if a.TimeoutS > 0 {
		limit = time.Duration(a.TimeoutS) * time.Second
	}
	p.Do = func(ctx context.Context, judged Judged, say func(string)) (Output, error) {
		return e.run(ctx, p.Action.Exec, judged, limit, say)
	}
	return p, nil
}

func (a execArgs) check(longest time.Duration) error {
	switch {
	case a.Script != "" && len(a.Argv) > 0:
		return &ArgumentError{Field: "script", Message: `"argv" and "script" are both given; give one of them`}
	case a.Script == "" && (len(a.Argv) == 0 || a.Argv[0] == ""):
		return &ArgumentError{Field: "argv", Message: `"argv" must name a program first, such as ["ls","-l"]`}
	case strings.ContainsRune(a.Script, 0) || strings.ContainsRune(a.Cwd, 0):
		return &ArgumentError{Field: "script", Message: `"script" and "cwd" can't hold a zero byte; leave it out`}
	case len(a.Script) > maxArg:
		return &ArgumentError{Field: "script", Message: fmt.Sprintf(`"script" has %d bytes and the most is %d; put it into a file`, len(a.Script), maxArg)}
	case a.TimeoutS < 0:
		return &ArgumentError{Field: "timeout_s", Message: fmt.Sprintf(`"timeout_s" must be 1 or more, not %d`, a.TimeoutS)}
	case a.TimeoutS > int(longest/time.Second):
		return &ArgumentError{Field: "timeout_s", Message: fmt.Sprintf(`"timeout_s" must be %d or less (exec.max_timeout = %s), not %d`, int(longest/time.Second), longest, a.TimeoutS)}
	}
	return checkArgv(a.Argv)
}

// checkArgv holds a command to what the kernel takes.
func checkArgv(argv []string) error {
	total := 0
	for i, w := range argv {
		total += len(w) + 1
		switch {
		case strings.ContainsRune(w, 0):
			return &ArgumentError{Field: "argv", Message: fmt.Sprintf(`"argv[%d]" holds a zero byte, which no program can be given; leave it out`, i)}
		case len(w) > maxArg:
			return &ArgumentError{Field: "argv", Message: fmt.Sprintf(`"argv[%d]" has %d bytes and the most is %d; give long text as stdin or in a file`, i, len(w), maxArg)}
		}
	}
	if total > maxArgv {
		return &ArgumentError{Field: "argv", Message: fmt.Sprintf(`"argv" has %d bytes and the most is %d; give long text as stdin or in a file`, total, maxArgv)}
	}
	return nil
}

// folder is the working folder of a command: absolute, inside a root, all links
// followed.
func (e *Exec) folder(cwd string) (string, error) {
	if cwd == "" {
		cwd = "."
	}
	p, err := e.cfg.Roots.locate(cwd)
	if err != nil {
		return "", err
	}
	defer p.Close()
	switch {
	case !p.facts.Exists:
		return "", fmt.Errorf("the working folder %s does not exist; make it first or leave cwd out", p.facts.Abs)
	case p.facts.Kind != "dir":
		return "", fmt.Errorf("the working folder %s is no folder; name one or leave cwd out", p.facts.Abs)
	}
	return p.facts.Real, nil
}

// command is the program that policy judged, ready to start.
func (e *Exec) command(x *policy.Exec, judged Judged) (Command, error) {
	c := Command{Argv: x.Argv, Dir: x.Cwd, Env: x.Env, Stdin: x.Stdin}
	var err error
	if c.Devices, err = granted(judged.Grants.Devices, "/dev/"); err != nil {
		return c, err
	}
	if c.Read, err = granted(judged.Grants.Sys, "/sys/"); err != nil {
		return c, err
	}
	c.Read = append(c.Read, e.seen(judged)...)
	if c.Hidden, err = e.hidden(judged); err != nil {
		return c, err
	}
	for _, p := range judged.Facts.Programs {
		c.WritableRun = c.WritableRun || p.Writable
	}
	if x.Script != "" {
		sh, ok := lookProgram(SystemDirs(), "/", "sh", 0)
		if !ok || sh.Writable {
			return c, fmt.Errorf("there is no shell in the system folders; use argv")
		}
		c.Path, c.Argv = sh.Real, []string{"sh", "-c", x.Script}
		return c, nil
	}
	prog, ok := judged.Facts.Programs[x.Argv[0]]
	if !ok {
		return c, fmt.Errorf("the program %s was not found in the system folders; look for it or use another one", quote(x.Argv[0]))
	}
	c.Path = prog.Real
	return c, nil
}

// granted expands the path patterns of a grant to what exists now. A link that
// leads out of the tree grants nothing.
func granted(patterns []string, tree string) ([]string, error) {
	var out []string
	for _, p := range patterns {
		found, ok := expand("/", p)
		if !ok {
			return nil, fmt.Errorf("the policy grants %s, which can't be expanded; ask the operator to correct it", p)
		}
		for _, f := range found {
			if real, err := follow(f); err == nil && strings.HasPrefix(real, tree) {
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
func (e *Exec) seen(j Judged) []string {
	shown := append([]string{"/proc", "/dev"}, trusted...)
	shown = append(shown, e.cfg.Roots.names(e.cfg.Roots.list[0])...)
	var out []string
	for _, p := range j.Facts.Paths {
		list := slices.Contains(j.Grants.List, p.Real)
		folder := p.Kind == "dir" && p.Real != "/" && (list || strings.HasPrefix(p.Real, "/sys/"))
		switch {
		case !list && !slices.Contains(j.Grants.Read, p.Real):
		case !p.Exists || p.Kind != "file" && !folder || under(shown, p.Real):
		case under(shown, p.Abs):
			out = append(out, p.Real) // the link on the way is there, what it leads to is not
		default:
			out = append(out, p.Abs)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// run starts what was judged and shapes what it wrote.
func (e *Exec) run(ctx context.Context, x *policy.Exec, judged Judged, limit time.Duration, say func(string)) (Output, error) {
	c, err := e.command(x, judged)
	if err != nil {
		return Output{}, err
	}
	got := newCapture(e.cfg.Limits, e.cfg.Masker, say)
	c.Timeout, c.Output = limit, got.Write
	exit, err := e.cfg.Launcher.Run(ctx, c)
	if err != nil {
		return Output{}, fmt.Errorf("%s did not start: %w", quote(c.Argv[0]), err)
	}
	shown, cut, note := got.Text()
	out := Output{Cut: cut, Layers: exit.Layers, Failed: exit.Code != 0 || exit.TimedOut || exit.Flooded}
	if shown != "" && !strings.HasSuffix(shown, "\n") {
		shown += "\n"
	}
	end := howItEnded(exit, limit, ctx.Err() != nil)
	if shown == "" {
		end += ", no output"
	}
	out.Text = fmt.Sprintf("%s[%s, cwd %s%s]", shown, end, e.cfg.Roots.relative(x.Cwd), weaker(exit))
	for _, n := range append(exit.Struck, note, e.hiddenNote(c.Hidden)) {
		if n != "" {
			out.Text += "\n[" + n + "]"
		}
	}
	return out, nil
}

// howItEnded says it in the words of a shell user. Durations stand in it only in
// whole seconds, so that equal runs read equal.
func howItEnded(x Exit, limit time.Duration, stopped bool) string {
	var s string
	switch {
	case x.TimedOut:
		s = fmt.Sprintf("timed out after %s (timeout_s, else exec.timeout; the most is exec.max_timeout), it and everything it started was ended", limit)
	case x.Flooded:
		s = "ended because it wrote without end; send output to a file or ask for less"
	case stopped:
		s = "stopped: the turn was interrupted, it and everything it started was ended"
	case x.Signal != "":
		s = "ended by " + x.Signal
	default:
		s = fmt.Sprintf("exit %d", x.Code)
	}
	if t := x.Took.Truncate(time.Second); t > 0 && !x.TimedOut {
		s += ", " + t.String()
	}
	return s
}

// weaker is the warning that a result carries when confinement is not whole.
func weaker(x Exit) string {
	if x.Weaker == "" {
		return ""
	}
	return ", WEAKER SANDBOX: " + x.Weaker
}

// relative shows a folder as the model writes it: relative to the workspace when
// it lies in it.
func (r *Roots) relative(dir string) string {
	for _, top := range r.names(r.list[0]) {
		if rel, err := filepath.Rel(top, dir); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			if rel == "." {
				return dir
			}
			return rel
		}
	}
	return dir
}
