package policy

import "testing"

func TestStanding(t *testing.T) {
	exec := func(argv ...string) Action { return Action{Kind: &Exec{Argv: argv, Cwd: "/lab"}} }
	with := func(a Action, change func(*Exec)) Action { change(a.Command()); return a }
	for name, c := range map[string]struct {
		a    Action
		want bool
	}{
		"zero":          {Action{}, false},
		"plain":         {exec("i2cdetect", "-l"), true},
		"absolute":      {exec("/usr/bin/i2cdetect", "-l"), true},
		"file":          {Action{Kind: &File{Op: Write, Path: "x"}}, true},
		"status":        {Action{Kind: Look{}}, false},
		"no argv":       {exec(), false},
		"script":        {Action{Kind: &Exec{Script: "ls"}}, false},
		"shell":         {exec("bash", "x.sh"), false},
		"wrapper":       {exec("env", "ls"), false},
		"wrapper path":  {exec("/usr/bin/timeout", "5", "ls"), false},
		"interpreter":   {exec("python3", "x.py"), false},
		"versioned":     {exec("python3.11", "x.py"), false},
		"by path":       {exec("/usr/bin/perl5.36", "-e", "1"), false},
		"own program":   {exec("./tool"), false},
		"other folder":  {exec("/tmp/ls"), false},
		"fed by stdin":  {with(exec("cat"), func(e *Exec) { e.Stdin = "x" }), false},
		"with env":      {with(exec("ls"), func(e *Exec) { e.Env = []string{"A=b"} }), false},
		"make":          {exec("make", "all"), false},
		"like a shell":  {exec("shred", "x"), true},
		"sub folder":    {exec("sub/ls"), false},
		"program of go": {exec("gofmt", "x.go"), true},
	} {
		if got := c.a.Standing(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
