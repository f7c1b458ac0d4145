package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"hardshell/policy"
	"hardshell/runtime/event"
	"hardshell/runtime/reply"
	"hardshell/tools"
	"hardshell/tools/text"
)

// judge says what policy would decide of a call. Tools that has it lets answers
// attach files; *tools.Registry does.
type judge interface {
	Judge(ctx context.Context, from tools.Origin, name string, args json.RawMessage) policy.Decision
}

// folder says whether a path is a file of the workspace. A Workspace that has it
// lets answers attach files; workspace.Folder does.
type folder interface{ Holds(path string) bool }

// attach gives the files that the answers of this turn name and that the model may
// read. Nothing is opened: whoever delivers one has to ask for it again. The person
// is told of each that is left out.
func (t *turn) attach(ctx context.Context) []string {
	var out []string
	j, judges := t.a.cfg.Tools.(judge)
	w, holds := t.a.cfg.Files.(folder)
	for _, path := range t.files {
		if slices.Contains(out, path) {
			continue
		}
		why := ""
		switch d := (policy.Decision{}); {
		case !judges || !holds:
			why = "nothing here can judge it"
		case len(out) == reply.MostFiles:
			why = fmt.Sprintf("an answer attaches %d files at most", reply.MostFiles)
		default:
			// The file of the workspace, whatever "docs:x" means to the read tool.
			args, _ := json.Marshal(map[string]string{"path": "./" + path}) // a map of strings always marshals
			if d = j.Judge(ctx, t.calls.from, "read", args); d.Verdict != policy.Allow {
				why = cmp.Or(d.Reason, "policy does not allow it")
			} else if !w.Holds(path) {
				why = "there is no such file in the workspace"
			}
		}
		if why != "" {
			t.out.warn(event.Notice{
				Code: "not_attached", Message: fmt.Sprintf("%s is not attached: %s", text.Head(path, 200), why),
				Hint: "ask for a file of the workspace that the read tool may read",
			})
			continue
		}
		out = append(out, path)
	}
	return out
}
