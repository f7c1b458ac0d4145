package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"hardshell/policy"
	"hardshell/policy/wording"
	"hardshell/tools"
	"hardshell/tools/args"
	"hardshell/tools/files"
	"hardshell/tools/secret"
	"hardshell/tools/text"
)

// ExecConfig is what the exec tool is made of.
type ExecConfig struct {
	Launcher tools.Launcher
	Roots    *files.Roots
	// Timeout is for a command that asked for none, MaxTimeout the most it may
	// ask for (exec.timeout, exec.max_timeout).
	Timeout, MaxTimeout time.Duration
	Limits              text.Limits
	Redactor            *secret.Redactor
	// Processes keeps commands in the background; without it none goes there.
	Processes *Processes
}

// ExecTool runs one program, or shell text.
type ExecTool struct{ cfg ExecConfig }

// NewExecTool makes the exec tool.
func NewExecTool(cfg ExecConfig) *ExecTool {
	if cfg.Timeout <= 0 {
		cfg.Timeout = time.Minute
	}
	if cfg.MaxTimeout <= 0 {
		cfg.MaxTimeout = 30 * time.Minute
	}
	return &ExecTool{cfg: cfg}
}

var _ tools.Tool = (*ExecTool)(nil)

type execArgs struct {
	Argv       []string          `json:"argv,omitempty"`
	Script     string            `json:"script,omitempty"`
	Cwd        string            `json:"cwd,omitempty"`
	Env        map[string]string `json:"env,omitempty"`
	Stdin      string            `json:"stdin,omitempty"`
	TimeoutS   int               `json:"timeout_s,omitempty"`
	Background bool              `json:"background,omitempty"`
	YieldMS    int               `json:"yield_ms,omitempty"`
}

var execSpec = sync.OnceValue(func() tools.Spec {
	return tools.Spec{
		Name:        "exec",
		Description: "Run a program",
		Guide:       `run a program: argv as a list such as ["ls","-l"], or script for sh text; starts in the workspace unless cwd is given`,
		Schema:      args.SchemaOf[execArgs](),
	}
})

// Spec is how exec is offered.
func (*ExecTool) Spec() tools.Spec { return execSpec() }

// Longest argument and argument list, below what the kernel takes.
const (
	maxArg  = 100 << 10
	maxArgv = 1 << 20
)

// maxForeground is the longest that a call waits for a command in the background, as
// long as policy lets a command sleep in the foreground.
const maxForeground = 30 * time.Second

// Prepare checks the command and its folder. What the program is and whether it may
// run is policy's word.
func (e *ExecTool) Prepare(_ context.Context, from tools.Origin, raw json.RawMessage) (tools.Prepared, error) {
	var a execArgs
	if err := args.Decode(raw, &a); err != nil {
		return tools.Prepared{}, err
	}
	if err := a.check(e.cfg.MaxTimeout); err != nil {
		return tools.Prepared{}, err
	}
	// What may go to the background is judged as if it did.
	background := a.Background || a.YieldMS > 0
	if background && e.cfg.Processes == nil {
		return tools.Prepared{}, &args.Error{Field: "background", Message: "no command can go to the background here; leave background and yield_ms out"}
	}
	x := &policy.Exec{
		Argv: a.Argv, Script: a.Script, Cwd: a.Cwd, Env: a.environ(), Stdin: a.Stdin, TimeoutS: a.TimeoutS, Background: background,
	}
	p := tools.Prepared{Action: policy.Action{Tool: "exec", Kind: x}}
	dir, err := e.cfg.Roots.WorkingFolder(a.Cwd)
	if err != nil {
		return p, err
	}
	x.Cwd = dir
	limit := e.cfg.Timeout
	switch {
	case a.TimeoutS > 0:
		limit = time.Duration(a.TimeoutS) * time.Second
	case background:
		limit = e.cfg.MaxTimeout
	}
	p.Do = func(ctx context.Context, judged tools.Judged, say func(string)) (tools.Output, error) {
		if background {
			return e.begin(ctx, from, p.Action, judged, limit, time.Duration(a.YieldMS)*time.Millisecond, say)
		}
		return e.run(ctx, x, judged, limit, say)
	}
	return p, nil
}

// environ gives the variables in an order of their own, so that the same ones are
// the same action.
func (a execArgs) environ() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		out = append(out, name+"="+a.Env[name])
	}
	return out
}

func (a execArgs) check(longest time.Duration) error {
	switch {
	case a.Script != "" && len(a.Argv) > 0:
		return &args.Error{Field: "script", Message: `"argv" and "script" are both given; give one of them`}
	case a.Script == "" && (len(a.Argv) == 0 || a.Argv[0] == ""):
		return &args.Error{Field: "argv", Message: `"argv" must name a program first, such as ["ls","-l"]`}
	case strings.ContainsRune(a.Script, 0) || strings.ContainsRune(a.Cwd, 0):
		return &args.Error{Field: "script", Message: `"script" and "cwd" can't hold a zero byte; leave it out`}
	case len(a.Script) > maxArg:
		return &args.Error{Field: "script", Message: fmt.Sprintf(`"script" has %d bytes and the most is %d; put it into a file`, len(a.Script), maxArg)}
	case a.TimeoutS < 0:
		return &args.Error{Field: "timeout_s", Message: fmt.Sprintf(`"timeout_s" must be 1 or more, not %d`, a.TimeoutS)}
	case a.YieldMS < 0 || a.YieldMS > int(maxForeground/time.Millisecond):
		return &args.Error{Field: "yield_ms", Message: fmt.Sprintf(`"yield_ms" must be between 1 and %d, not %d`, maxForeground/time.Millisecond, a.YieldMS)}
	case a.TimeoutS > int(longest/time.Second):
		return &args.Error{Field: "timeout_s", Message: fmt.Sprintf(`"timeout_s" must be %d or less (exec.max_timeout = %s), not %d`, int(longest/time.Second), text.Span(longest), a.TimeoutS)}
	}
	for name, value := range a.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return &args.Error{Field: "env", Message: fmt.Sprintf(`"env" names a variable %s, which no program can be given; names have no "=" and nothing holds a zero byte`, wording.Text(text.Short(name)))}
		}
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
			return &args.Error{Field: "argv", Message: fmt.Sprintf(`"argv[%d]" holds a zero byte, which no program can be given; leave it out`, i)}
		case len(w) > maxArg:
			return &args.Error{Field: "argv", Message: fmt.Sprintf(`"argv[%d]" has %d bytes and the most is %d; give long text as stdin or in a file`, i, len(w), maxArg)}
		}
	}
	if total > maxArgv {
		return &args.Error{Field: "argv", Message: fmt.Sprintf(`"argv" has %d bytes and the most is %d; give long text as stdin or in a file`, total, maxArgv)}
	}
	return nil
}
