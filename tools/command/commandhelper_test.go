package command

import (
	"testing"

	"hardshell/tools/files"
	"hardshell/tools/toolstest"
)

// door is a door to exec, and to read for what it wrote.
type door struct {
	*toolstest.Door
	exec *ExecTool
}

func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{Door: toolstest.NewDoor(t)}
	roots, err := files.NewRoots(d.Dir)
	if err != nil {
		t.Fatal(err)
	}
	d.exec = NewExecTool(ExecConfig{Launcher: d.Launcher, Roots: roots, Redactor: d.Config.Redactor})
	under := files.Config{Roots: roots, Redactor: d.Config.Redactor}
	d.Add(d.exec, files.NewEdit(under), files.NewWrite(under), files.NewRead(under))
	return d
}
