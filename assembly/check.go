package assembly

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// check says why an Input cannot be rendered.
func (in *Input) check() error {
	if in.Mode > Full {
		return fmt.Errorf("assembly: mode %d does not exist; use None, Minimal or Full", in.Mode)
	}
	switch in.Turn.Run {
	case "", Chat, Cron, Heartbeat, Wake, Announce:
	default:
		return fmt.Errorf("assembly: run kind %q does not exist; use chat, cron, heartbeat, wake or announce", in.Turn.Run)
	}
	if err := in.Limits.check(); err != nil {
		return err
	}
	if err := checkTools(in.Tools); err != nil {
		return err
	}
	return checkFiles(in.Files)
}

// check says which limit makes no sense.
func (l Budget) check() error {
	for _, n := range []struct {
		key   string
		value int
	}{
		{"prompt.bootstrap_max_chars", l.File},
		{"prompt.bootstrap_total_max_chars", l.Total},
		{"prompt.max_skills_prompt_chars", l.Skills},
		{"model.num_ctx", l.Window},
	} {
		if n.value < 0 {
			return fmt.Errorf("assembly: %s is %d; give a positive number, or 0 for the default", n.key, n.value)
		}
	}
	if !(l.WindowShare >= 0 && l.WindowShare <= 1) { // NaN is outside too
		return fmt.Errorf("assembly: prompt.bootstrap_window_share is %g; give a share above 0 and up to 1, or 0 for the default", l.WindowShare)
	}
	return nil
}

// checkTools demands unique names and readable schemas.
func checkTools(tools []Tool) error {
	seen := map[string]bool{}
	for _, t := range tools {
		switch {
		case strings.TrimSpace(t.Name) == "" || t.Name != oneLine(t.Name):
			return fmt.Errorf("assembly: %q is no name for a tool; use letters, digits and underscores", t.Name)
		case seen[t.Name]:
			return fmt.Errorf("assembly: tool %s is offered twice; register it once", t.Name)
		case !json.Valid(t.Schema):
			return fmt.Errorf("assembly: the schema of tool %s is no JSON; generate it from the argument struct", t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}

// checkFiles demands unique paths below the workspace root.
func checkFiles(files []File) error {
	seen := map[string]bool{}
	for _, f := range files {
		switch {
		case f.Name == "" || path.IsAbs(f.Name) || path.Clean(f.Name) != f.Name || f.Name == ".." || strings.HasPrefix(f.Name, "../"):
			return fmt.Errorf("assembly: %q is no path below the workspace; give it relative to the root, without dots", f.Name)
		case seen[f.Name]:
			return fmt.Errorf("assembly: workspace file %s is given twice; pass it once", f.Name)
		}
		seen[f.Name] = true
	}
	return nil
}
