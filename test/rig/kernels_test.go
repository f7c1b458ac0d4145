package rig

import "slices"

// kernel is one machine: what its kernel is told at its start, and what runs on it.
type kernel struct {
	name, args string
	landlock   bool
	systemd    bool // process 1
	runs       []batch
}

// batch is what somebody runs.
type batch struct {
	who    string
	as     Role
	suites []suite
}

// suite is a test binary and those of its tests that run here.
type suite struct {
	pkg  string
	run  string // -test.run; empty for all
	skip string // -test.skip
}

// What does not run here, and why.
const (
	// The role of an ordinary user and the kernel without Landlock are real here.
	played = "^(TestAsOrdinaryUser|TestEscapesWithoutLandlock)$"
	// 3 GB through an emulated processor; once is enough.
	heavy = "^TestEscapes$/^big_file$"
	// Starts a shell for each text; the shells are the same on every processor.
	shells = "^TestShellAgrees$"
	// A reader of a store that grows for a minute.
	slow = "^TestCase170_"
	// Thousands of rounds; once is enough.
	long = "^TestNameSwappedForALinkBetweenCheckAndUse$"
)

var (
	box      = suite{pkg: "sandbox", skip: played}
	lightBox = suite{pkg: "sandbox", skip: played + "|" + heavy}
	filter   = suite{pkg: "sandbox/seccomp"}
	// What a kernel or a disk can spoil of the tools.
	door     = suite{pkg: "tools"}
	looks    = suite{pkg: "tools/lookup"}
	running  = suite{pkg: "tools/command"}
	files    = suite{pkg: "tools/files", skip: long}
	allFiles = suite{pkg: "tools/files"}
	// What a kernel or a disk can spoil.
	keeping   = suite{pkg: "runtime/store", run: "Kill|Case|Full|Fault|Damage|Restore|Torn|Newer|Held|Owner", skip: slow}
	deciding  = suite{pkg: "policy", skip: shells}
	commands  = suite{pkg: "cmd/agent", run: "^TestScripts$/^(ask_tool|audit|refused|store_damaged|version_cron)$"}
	firstHour = suite{pkg: "test/rig/story"}
	service   = suite{pkg: "test/rig/service"}
)

const user = 1000

// stuck ends a step that hangs, in seconds. The longest takes three minutes on two
// idle cores.
const stuck = 900

// board is the situation on a Jetson with JetPack 6: no Landlock, and nothing that
// came after Linux 5.15.
var kernels = []kernel{
	{
		name: "landlock", landlock: true, runs: []batch{
			{"root", Role{}, []suite{firstHour, box, filter, door, looks, running, files, keeping}},
			{"user", Role{User: user}, []suite{firstHour, lightBox, door, looks, running, files, deciding, commands}},
		},
	},
	{
		name: "plain", args: "lsm=lockdown,yama", runs: []batch{
			{"root", Role{}, []suite{firstHour, lightBox}},
			{"user", Role{User: user}, []suite{lightBox}},
			{"board-root", Role{Old: true}, []suite{firstHour, filter, {pkg: "sandbox", run: "^(TestRun|TestProbe|TestStdin)"}}},
			{"board-user", Role{User: user, Old: true}, []suite{firstHour, lightBox, door, looks, running, allFiles}},
		},
	},
	{name: "systemd", landlock: true, systemd: true, runs: []batch{{"root", Role{}, []suite{service}}}},
}

// plan puts a kernel's batches in a row.
func (k kernel) plan() Plan {
	p := Plan{Systemd: k.systemd}
	for _, b := range k.runs {
		for _, s := range b.suites {
			argv := []string{binaryOf(s.pkg), "-test.v=test2json", "-test.short"}
			for flag, v := range map[string]string{"-test.run=": s.run, "-test.skip=": s.skip} {
				if v != "" {
					argv = append(argv, flag+v)
				}
			}
			p.Steps = append(p.Steps, Step{Name: b.who + "/" + s.pkg, As: b.as, Dir: Source + "/" + s.pkg, Argv: argv, Limit: stuck})
		}
	}
	return p
}

// packages are those whose tests run in a machine.
func packages() []string {
	var list []string
	for _, k := range kernels {
		for _, b := range k.runs {
			for _, s := range b.suites {
				list = append(list, s.pkg)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
