package tools_test

import (
	"context"
	"testing"

	"hardshell/policy"
	"hardshell/tools"
	"hardshell/tools/command"
	"hardshell/tools/files"
	"hardshell/tools/self"
	"hardshell/tools/toolstest"
)

// newDoor is a door to tools that act on every kind of thing, and to further ones.
func newDoor(t *testing.T, more ...tools.Tool) *toolstest.Door {
	t.Helper()
	d := toolstest.NewDoor(t)
	roots, err := files.NewRoots(d.Dir)
	if err != nil {
		t.Fatal(err)
	}
	under := files.Config{Roots: roots, Redactor: d.Config.Redactor}
	d.Add(append([]tools.Tool{
		self.NewSessionStatus(state{}), files.NewEdit(under), files.NewWrite(under), files.NewRead(under),
		command.NewExecTool(command.ExecConfig{Launcher: d.Launcher, Roots: roots, Redactor: d.Config.Redactor}),
	}, more...)...)
	return d
}

// state is a session of which only the time is known.
type state struct{}

func (state) SessionStatus(context.Context, string) (self.State, error) {
	return self.State{Time: toolstest.Noon}, nil
}

func (state) SetSession(context.Context, string, policy.Setting) (string, error) {
	return "set", nil
}
