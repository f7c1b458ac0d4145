package builtin

import "path"

// Attributes are what the judging of commands has to know of a program besides its
// rules. What a program is called is asked here and nowhere else.
type Attributes struct {
	// Repository: it works on a repository, whose settings and hooks can run programs.
	// An allowance turns into a question while there are such settings, and only with a
	// person's yes is a repository changed.
	Repository bool
	// Moves: it can put a link in the place of a file that was judged, so paths behind
	// it may lead elsewhere than they did.
	Moves bool
	// Copies: it can bring along names that nobody judged, out of a folder, so patterns
	// behind it may expand to flags.
	Copies bool
	// Waits: its arguments are a time that passes, which counts for the longest wait in
	// the foreground.
	Waits bool
	// Services: its verbs change services and power, unless they only look.
	Services bool
	// Applets: its first argument names the program that it acts as.
	Applets bool
	// Finds: it runs commands behind -exec on the names that it finds.
	Finds bool
	// Wrapper is how it carries a command behind its own options; nil when it does not.
	Wrapper *Wrapper
}

// Wrapper is the form of a program that runs the command behind its own options.
type Wrapper struct {
	Plain  []string // options without a value
	Value  []string // options with a value, joined or as the next word
	Number bool     // a number may be an option: nice -5
	Before int      // words between the options and the command
	Assign bool     // NAME=value may stand before the command
	Alone  bool     // without any word it only prints, and has a rule of its own
	Ask    string   // why a person has to be asked, empty: the inner verdict counts
	// Locks: the word before the command is a file that it makes and locks, and -c TEXT
	// may stand in place of the command.
	Locks bool
	// Adds: it adds words from its input to the command, any number of times; without a
	// command it runs echo.
	Adds bool
}

// programs are the attributes of each program that has some, by its name.
var programs = map[string]Attributes{
	"git":       {Repository: true},
	"mv":        {Moves: true},
	"cp":        {Copies: true},
	"sleep":     {Waits: true},
	"systemctl": {Services: true},
	"busybox":   {Applets: true},
	"toybox":    {Applets: true},
	"find":      {Finds: true},
	"env":       {Wrapper: &Wrapper{Plain: []string{"-i", "-", "--ignore-environment", "-v"}, Value: []string{"-u", "--unset"}, Assign: true, Alone: true}},
	"nice":      {Wrapper: &Wrapper{Value: []string{"-n", "--adjustment"}, Number: true}},
	"ionice":    {Wrapper: &Wrapper{Plain: []string{"-t"}, Value: []string{"-c", "-n", "--class", "--classdata"}}},
	"nohup":     {Wrapper: &Wrapper{}},
	"timeout":   {Wrapper: &Wrapper{Plain: []string{"--preserve-status", "--foreground", "-v", "--verbose", "-p", "-f"}, Value: []string{"-s", "-k", "--signal", "--kill-after"}, Before: 1}},
	"stdbuf":    {Wrapper: &Wrapper{Value: []string{"-i", "-o", "-e", "--input", "--output", "--error"}}},
	"setsid":    {Wrapper: &Wrapper{Plain: []string{"-c", "-f", "-w"}, Ask: "it leaves the session, so the command can outlive its call"}},
	"taskset":   {Wrapper: &Wrapper{Plain: []string{"-c", "--cpu-list"}, Before: 1}},
	"chrt":      {Wrapper: &Wrapper{Plain: []string{"-o", "-b", "-i", "--other", "--batch", "--idle"}, Before: 1}},
	"time":      {Wrapper: &Wrapper{Plain: []string{"-p", "-v"}}},
	"flock":     {Wrapper: &Wrapper{Plain: []string{"-n", "-x", "-e", "-s", "-u", "-o", "-F", "--nonblock"}, Value: []string{"-w", "-E"}, Before: 1, Locks: true}},
	"xargs": {Wrapper: &Wrapper{
		Plain: []string{"-0", "-r", "-t", "-x", "--null", "--no-run-if-empty"},
		Value: []string{"-n", "-P", "-L", "-s", "-d", "-I", "--max-args", "--max-procs", "--max-lines", "--delimiter"},
		Adds:  true,
	}},
}

// AttributesOf are the attributes of a program, by its name or path.
func AttributesOf(program string) Attributes { return programs[path.Base(program)] }
