package files

import (
	"testing"

	"hardshell/tools/toolstest"
)

// door is a door to the file tools.
type door struct {
	*toolstest.Door
	roots   *Roots
	journal string // of apply_patch, where a test adds it
}

func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{Door: toolstest.NewDoor(t)}
	var err error
	if d.roots, err = NewRoots(d.Dir); err != nil {
		t.Fatal(err)
	}
	files := Config{Roots: d.roots, Redactor: d.Config.Redactor}
	d.Add(NewEdit(files), NewWrite(files), NewRead(files))
	return d
}
