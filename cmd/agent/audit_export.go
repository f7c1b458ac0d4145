package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"

	"hardshell/cmd/agent/term"
	"hardshell/runtime/event"
)

// exporter writes the lines of the audit.
type exporter interface {
	AuditExport(ctx context.Context, w io.Writer) error
}

func auditExportCommand() subcommand {
	var out string
	return subcommand{
		name: "audit export", short: "every record of the audit, as kept",
		long: `
Writes every record of the audit, oldest first, one JSON object a line, just as it
is kept, so that the chain can be checked elsewhere too. It goes to stdout, or to a
new file with --out; a file that is there is never overwritten.

  agent audit export --out audit.jsonl
  agent audit export | jq -r 'select(.verdict == "deny") | .subject'
`,
		flags: func(fs *flag.FlagSet) { fs.StringVar(&out, "out", "", "new `file` to write") },
		run: func(ctx context.Context, inv *invocation) error {
			if err := inv.noArgs("audit export"); err != nil {
				return err
			}
			h, err := openRecords(ctx, inv)
			if err != nil {
				return err
			}
			defer h.Close()
			if out != "" {
				return exportTo(ctx, inv, h, out)
			}
			if term.IsTerminal(inv.stdout) {
				safe := term.NewHarmlessLines(inv.stdout)
				return errors.Join(h.AuditExport(ctx, safe), safe.Flush())
			}
			return h.AuditExport(ctx, inv.stdout)
		},
	}
}

// exportTo writes the audit into a new file and says how much it was. Of an export
// that fails nothing stays behind.
func exportTo(ctx context.Context, inv *invocation, agent exporter, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return event.Errorf("exists", "name a file that is not there yet", "%s is there already and is not overwritten", path)
	case err != nil:
		return event.Errorf("export", "name a file in a folder that you may write", "%s can't be made: %v", path, err)
	}
	n := &lineCount{w: f}
	err = agent.AuditExport(ctx, n)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	if inv.json {
		term.JSON(inv.stdout, struct {
			File    string `json:"file"`
			Records int    `json:"records"`
		}{path, n.lines})
		return nil
	}
	fmt.Fprintf(inv.stdout, "%d records in %s\n", n.lines, term.OneLine(path, 400))
	return nil
}

// lineCount counts the lines that it passes on.
type lineCount struct {
	w     io.Writer
	lines int
}

func (n *lineCount) Write(p []byte) (int, error) {
	n.lines += bytes.Count(p, []byte{'\n'})
	return n.w.Write(p)
}
