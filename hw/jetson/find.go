package jetson

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// Folders of the kernel's classes.
const (
	thermalClass = "sys/class/thermal"
	hwmonClass   = "sys/class/hwmon"
)

// node is a folder of a class and what it calls itself.
type node struct {
	dir, name string
	err       error // why it does not say its name
}

// text reads a file through the gate.
func (b *Board) text(ctx context.Context, file string) (string, error) {
	data, err := b.gate.read(ctx, file, func() ([]byte, error) { return fs.ReadFile(b.fsys, file) })
	return string(data), err
}

// nodes lists the folders of a class whose names begin with prefix, each with its
// own name from the file that carries it.
func (b *Board) nodes(ctx context.Context, class, prefix, file string) ([]node, error) {
	listing, err := b.gate.read(ctx, class, func() ([]byte, error) {
		list, err := fs.ReadDir(b.fsys, class)
		var names []string
		for _, e := range list {
			names = append(names, e.Name())
		}
		return []byte(strings.Join(names, "/")), err
	})
	if err != nil {
		return nil, err
	}
	var found []node
	for dir := range strings.SplitSeq(string(listing), "/") {
		if strings.HasPrefix(dir, prefix) {
			found = append(found, node{dir: path.Join(class, dir)})
		}
	}
	each(len(found), func(i int) {
		var text string
		text, found[i].err = b.text(ctx, path.Join(found[i].dir, file))
		found[i].name = name(text)
	})
	return found, nil
}

// named gives the folders of the nodes of that name.
func named(nodes []node, want string) []string {
	var dirs []string
	for _, n := range nodes {
		if n.err == nil && n.name == want {
			dirs = append(dirs, n.dir)
		}
	}
	return dirs
}

// each does n things at once and waits for all of them: the slowest bounds them
// all, not their sum.
func each(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}
