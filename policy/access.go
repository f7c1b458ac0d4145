package policy

// access is what a program does with a path that it is given.
type access string

const (
	toRead   access = "read"
	toLocal  access = "local"  // read; and no ":" in it, which some programs take for a host
	toExists access = "exists" // read, and it is there already
	toList   access = "list"   // names and metadata only
	toWrite  access = "write"
	toRemove access = "remove" // write, and strictly beneath its root
	toDevice access = "device" // a device that the rule grants
)

var accesses = []string{"read", "local", "exists", "list", "write", "remove", "device"}

// writes tells whether the access changes something.
func (a access) writes() bool { return a == toWrite || a == toRemove }
