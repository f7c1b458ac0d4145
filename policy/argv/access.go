package argv

// Access is what a program does with a path that it is given.
type Access string

// What may be done with a path.
const (
	Read   Access = "read"
	Local  Access = "local"  // read; and no ":" in it, which some programs take for a host
	Exists Access = "exists" // read, and it is there already
	List   Access = "list"   // names and metadata only
	Write  Access = "write"
	Remove Access = "remove" // write, and strictly beneath its root
	Device Access = "device" // a device that the rule grants
)

var accesses = []string{"read", "local", "exists", "list", "write", "remove", "device"}

// Writes tells whether the access changes something.
func (a Access) Writes() bool { return a == Write || a == Remove }
