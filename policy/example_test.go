package policy_test

import (
	"fmt"

	"hardshell/policy"
)

const examplePolicy = `
version = 1
name = "example"

[[file]]
root = "workspace"
ops = ["read"]
why = "the workspace can be read"

[[exec]]
argv = ["cat", "{flags}", "{path:read...}"]
flags = ["-n"]
why = "looking at files"
match = ["cat -n log.txt"]
not_match = ["cat /etc/shadow"]

[[profile]]
name = "silent"
why = "a job that asks nothing"
ask = false
`

func ExampleParse() {
	_, err := policy.Parse("policy.toml", []byte("version = 1\nunlistd = \"ask\"\n"))
	fmt.Println(err)
	// Output:
	// policy.toml:2:1: the policy has no key "unlistd" (did you mean unlisted?)
	//    2 | unlistd = "ask"
	//      | ^^^^^^^
}

func ExamplePolicy_Decide() {
	p, err := policy.Parse("policy.toml", []byte(examplePolicy))
	if err != nil {
		fmt.Println(err)
		return
	}
	a := policy.Action{Tool: "exec", Kind: &policy.Exec{Argv: []string{"cat", "log.txt"}}}
	f := policy.Facts{
		Roots:    map[string]string{"workspace": "/lab"},
		Programs: map[string]policy.Program{"cat": {Path: "/usr/bin/cat", Real: "/usr/bin/cat"}},
		Paths:    map[string]policy.Path{"log.txt": {Abs: "/lab/log.txt", Real: "/lab/log.txt", Exists: true, Kind: "file"}},
	}
	d := p.Decide(a, f)
	fmt.Println(d.Verdict, d.Rule)
	fmt.Println(d.Reason)
	// Output:
	// allow exec.cat
	// cat log.txt: looking at files
}

func ExamplePolicy_Try() {
	p, err := policy.Parse("policy.toml", []byte(examplePolicy))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, s := p.Try(policy.Action{Kind: &policy.Exec{Script: "cat log.txt | wc -l *.md"}}, policy.Facts{})
	fmt.Println(s.Programs, s.Paths, s.Globs)
	// Output:
	// [cat sh wc] [*.md log.txt] [*.md]
}

func ExamplePolicy_Profile() {
	p, err := policy.Parse("policy.toml", []byte(examplePolicy))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = p.Profile("silnt")
	fmt.Println(err)
	// Output:
	// the policy example has no profile "silnt" (did you mean silent?); it has: silent
}

func ExampleBuiltin() {
	p := policy.Builtin()
	fmt.Println(p.Offers("read"), p.Offers("exec"))
	d := p.Decide(policy.Action{Kind: &policy.Exec{Argv: []string{"ls"}}}, policy.Facts{})
	fmt.Println(d.Reason + ": " + d.Hint)
	// Output:
	// true false
	// there is no policy file, so no command may run: agent init installs the lab policy
}

func ExamplePolicy_Rules() {
	p, err := policy.Parse("policy.toml", []byte(examplePolicy))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range p.Rules() {
		if r.Kind != "builtin" {
			fmt.Printf("%s %s: %s (%s)\n", r.Verdict, r.ID, r.Form, r.Why)
		}
	}
	// Output:
	// allow file.workspace: {workspace}/**: read (the workspace can be read)
	// allow exec.cat: cat {flags} {path:read...} (looking at files)
	// deny profile.silent: nothing is asked (a job that asks nothing)
}
