package rig

// Plan is what the virtual machine does after its start. It lies in the
// initramfs as plan.json.
type Plan struct {
	Steps []Step `json:"steps"`
	// Systemd has systemd as process 1; the steps run in a unit of it.
	Systemd bool `json:"systemd,omitempty"`
}

// Step is one program that runs in the virtual machine.
type Step struct {
	// Name tells the step apart from the others; it stands in the console's lines.
	Name string `json:"name"`
	// As is who runs it and on what kernel.
	As Role `json:"as"`
	// Dir is the folder to start in, Argv the program and its words.
	Dir  string   `json:"dir"`
	Argv []string `json:"argv"`
	// Limit ends the step, in seconds.
	Limit int `json:"limit"`
}

// Role is who runs a step.
type Role struct {
	// User is the user and group; 0 is root.
	User int `json:"user"`
	// Old answers each system call that Linux 5.15 does not have with ENOSYS, as
	// the board's own kernel does.
	Old bool `json:"old"`
}

// LastOld is the number of the last system call of Linux 5.15, the kernel of
// JetPack 6: process_mrelease. futex_waitv came with 5.16.
const LastOld = 448

// The disks by their serial numbers: which letter each gets is chance.
const (
	SystemDisk = "system"
	WorkDisk   = "work"
)

// Where the host's files are in the virtual machine.
const (
	PlanFile = "/plan.json"     // in the initramfs
	Mount    = "/rig"           // the work disk
	Source   = Mount + "/src"   // the project's folders, for their testdata
	Tests    = Mount + "/tests" // the test binaries
	Agent    = Mount + "/agent" // the program itself
	Guest    = Mount + "/guest" // process 1 in its other role
)

// The lines of the console's protocol begin with Mark; what else is on the
// console is what the programs said.
//
//	Mark boot KERNEL LSMS
//	Mark begin NAME
//	Mark end NAME STATUS MILLISECONDS
//	Mark off            the plan is through
//	Mark broken WHY     it is not
const Mark = "\x1erig "
