package jetson

import (
	"io/fs"
	"regexp"
	"sync"

	"hardshell/hw"
)

var _ hw.Wired = (*Board)(nil)

// busNode is what the kernel calls the node of a bus.
var busNode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(i2c-\d+|spidev\d+\.\d+|ttyTHS\d+)$`) })

// Buses are the nodes of /dev that lead to a bus.
func (b *Board) Buses() []string {
	list, err := fs.ReadDir(b.fsys, "dev")
	if err != nil {
		return nil // a gate that asks for a bus stays closed
	}
	var out []string
	for _, e := range list { // sorted by name
		if busNode().MatchString(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out
}
