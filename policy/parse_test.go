package policy

import (
	"errors"
	"strings"
	"testing"

	"hardshell/policy/builtin"
	"hardshell/policy/source"

	"github.com/google/go-cmp/cmp"
)

// TestFileProblems looks at what a person reads about a broken file: every
// problem at once, with its line and a caret.
func TestFileProblems(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{
			name: "several at once",
			src: `version = 1
unlistd = "ask"
[[file]]
root = "workspce"
ops = ["reed"]
why = "w"
[[exec]]
argv = ["cat", "{pth:read}"]
why = " "
`,
			want: `p.toml:2:1: the policy has no key "unlistd" (did you mean unlisted?)
   2 | unlistd = "ask"
     | ^^^^^^^
p.toml:4:8: there is no root "workspce" (did you mean workspace?); there are workspace, docs, skills, tmp, home
   4 | root = "workspce"
     |        ^^^^^^^^^^
p.toml:5:8: there is no operation "reed" (did you mean read?); there are read, write, list
   5 | ops = ["reed"]
     |        ^^^^^^
p.toml:7:3: why is missing: say in a few words what the rule is good for
   7 | [[exec]]
     |   ^^^^
p.toml:8:16: there is no slot {pth} (did you mean path?)
   8 | argv = ["cat", "{pth:read}"]
     |                ^^^^^^^^^^^^`,
		},
		{
			name: "syntax",
			src:  "version = 1\n[[exec]\n",
			want: "p.toml:2:7: expected ']]' to close array table name\n   2 | [[exec]\n     |       ^",
		},
		{
			name: "a doubled key", src: "version = 1\nversion = 1\n",
			want: "p.toml:2:1: key version is already defined\n   2 | version = 1\n     | ^",
		},
		{
			name: "empty", src: " \n",
			want: "p.toml:1:1: the file is empty; agent init writes the lab policy\n   1 |  \n     | ^",
		},
		{
			name: "not UTF-8", src: "version = 1\nname = \"\xff\"\n",
			want: "p.toml:2:9: the file is not UTF-8 here; save it as UTF-8\n   2 | name = \"?\"\n     |         ^",
		},
		{
			name: "another version", src: "version = 2\n",
			want: "p.toml:1:11: version 2 is not known; this program reads version 1\n   1 | version = 2\n     |           ^",
		},
		{
			name: "an example that does not match",
			src: `version = 1
[[exec]]
argv = ["cat", "{path:read}"]
why = "w"
match = ["cat a"]
not_match = ["cat", "cat a b"]
[[file]]
root = "workspace"
ops = ["read"]
why = "w"
match = ["a"]
not_match = ["notes/x"]
`,
			want: `p.toml:12:14: file.workspace matches this example and must not
  12 | not_match = ["notes/x"]
     |              ^^^^^^^^^`,
		},
		{
			name: "a bad pattern (case 110)", src: "version = 1\n[[file]]\npath = \"/x/([\"\nops = [\"read\"]\nverdict = \"deny\"\nwhy = \"w\"\n",
			want: `p.toml:3:8: "/x/([" is no path pattern: use *, ?, [a-z] and ** between slashes` + "\n   3 | path = \"/x/([\"\n     |        ^^^^^^^",
		},
		{
			name: "tabs and wide characters keep the caret in place", src: "version = 1\n\tname = \"ä\"; x = 1\n",
			want: "p.toml:2:12: expected newline but got U+003B ';'\n   2 | \tname = \"ä\"; x = 1\n     | \t          ^",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse("p.toml", []byte(tt.src))
			var fe *source.Error
			if p != nil || !errors.As(err, &fe) || len(fe.Problems) == 0 || fe.Hint() == "" {
				t.Fatalf("want a *FileError, have %v", err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRefusedFiles tries one fault at a time and looks for the words that name
// it.
func TestRefusedFiles(t *testing.T) {
	const execHead, fileHead = "version = 1\n[[exec]]\nwhy = \"w\"\n", "version = 1\n[[file]]\nwhy = \"w\"\n"
	tests := []struct{ src, want string }{
		{"name = \"x\"\n", "version is missing"},
		{"version = \"1\"\n", "version has to be a whole number, and this is a string"},
		{"version = 1\nunlisted = \"allow\"\n", "write deny or ask"},
		{"version = 1\nenv = [\"PATH\"]\n", "can't be given to commands"},
		{"version = 1\nenv = [1]\n", "an entry of env has to be a string"},
		{"version = 1\ntools = 1\n", "tools has to be a table"},
		{"version = 1\n[tools]\nallow = [\"exce\"]\n", "(did you mean exec?)"},
		{"version = 1\n[tools]\nalow = []\n", "(did you mean allow?)"},
		{"version = 1\nexec = 1\n", "write [[exec]]"},
		{"version = 1\nexec = [1]\n", "an entry of exec has to be a table"},
		{execHead, "argv is missing"},
		{execHead + "argv = []\n", "argv is empty"},
		{execHead + "argv = \"cat x\"\n", "argv has to be a list"},
		{execHead + "argv = [\"{word}\", \"x\"]\n", "a rule for any program would be no rule"},
		{execHead + "argv = [\"{flags}\"]\n", "a rule for any program would be no rule"},
		{execHead + "argv = [\"a\", \"{flags}\", \"{flags}\"]\n", "{flags} stands at most once"},
		{execHead + "argv = [\"a\", \"{word...}\", \"{word?}\"]\n", "at most one slot"},
		{execHead + "argv = [\"a\", \"{word...}\", \"{flags}\"]\n", "can't be optional or repeat"},
		{execHead + "argv = [\"a\", \"{path}\"]\n", "{path} needs how it is used"},
		{execHead + "argv = [\"a\", \"{path:reed}\"]\n", "{path} needs how it is used"},
		{execHead + "argv = [\"a\", \"{path:read [}\"]\n", "is no name pattern"},
		{execHead + "argv = [\"a\", \"{of:}\"]\n", "{of} needs its words"},
		{execHead + "argv = [\"a\", \"{rest}\"]\n", "write {rest...}"},
		{execHead + "argv = [\"a\", \"{word:x}\"]\n", "takes nothing after its name"},
		{execHead + "argv = [\"a\", \"{word\"]\n", "is no slot"},
		{execHead + "argv = [\"a\", [\"b\", \"{word}\"]]\n", "alternatives are plain words"},
		{execHead + "argv = [\"a\", []]\n", "argv holds words"},
		{execHead + "argv = [\"a\", 1]\n", "argv holds words"},
		{execHead + "argv = [\"a\"]\nflags = [\"-x\"]\n", "flags without a place"},
		{execHead + "argv = [\"a\", \"{flags}\"]\nflags = [\"--\"]\n", "is no flag"},
		{execHead + "argv = [\"a\", \"{flags}\"]\nflags = [\"-x=y\"]\n", "is no flag"},
		{execHead + "argv = [\"a\", \"{flags}\"]\nflags = [\"-\"]\n", "is no flag"},
		{execHead + "argv = [\"a\", \"{flags}\"]\nflags = [\"\"]\n", "is no flag"},
		{execHead + "argv = [\"a\", \"{flags}\"]\nflags = [\"-x {word...}\"]\n", "a flag takes exactly one value"},
		{execHead + "argv = [\"a\", \"{flags}\"]\nflags = [\"-x {word?}\"]\n", "a flag takes exactly one value"},
		{execHead + "argv = [\"a\", \"{flags}\"]\nflags = [\"-x {rest...}\"]\n", "a flag takes exactly one value"},
		{execHead + "argv = [\"a\", \"{flags}\"]\nflags = [\"x {word}\"]\n", "only a flag can take a value"},
		{execHead + "argv = [\"a\", \"{flags}\"]\nflags = [\"-x {word...}\"]\n", "exactly one value"},
		{execHead + "argv = [\"a\", \"{flags}\"]\nflags = [\"-x {wrd}\"]\n", "there is no slot {wrd}"},
		{execHead + "argv = [\"a\"]\nhash = \"abc\"\n", "sha-256"},
		{execHead + "argv = [\"a\"]\nrate = \"often\"\n", "write 20/1h"},
		{execHead + "argv = [\"a\"]\nrate = \"0/1h\"\n", "write 20/1h"},
		{execHead + "argv = [\"a\"]\ndevices = [\"/dev/gpiochip*\"]\n", "never given to commands"},
		{execHead + "argv = [\"a\"]\ndevices = [\"/dev/i2c-1\"]\n", "never given to commands"},
		{execHead + "argv = [\"a\"]\ndevices = [\"/dev/*\"]\n", "whose next part is written out"},
		{execHead + "argv = [\"a\"]\ndevices = [\"/dev/snd/../mem\"]\n", "whose next part is written out"},
		{execHead + "argv = [\"a\"]\nsys = [\"/proc/x\"]\n", "beneath /sys/"},
		{execHead + "argv = [\"a\"]\nmatch = [\"\"]\n", "an example is a command"},
		{execHead + "argv = [\"a\"]\nmatch = [\"b\"]\n", "exec.a does not match this example"},
		{execHead + "argv = [\"a\"]\nnot_match = [\"a\"]\n", "matches this example and must not"},
		{execHead + "argv = [\"a\"]\nid = \"x y\"\n", "is no id"},
		{execHead + "argv = [\"a\"]\nverdict = \"maybe\"\n", "is no verdict here"},
		{execHead + "argv = [\"a\"]\nconfined = 1\n", "confined has to be true or false"},
		{execHead + "argv = [\"a\"]\n[[exec]]\nwhy = \"w\"\nargv = [\"a\"]\n", "there is already a rule exec.a"},
		{fileHead + "ops = [\"read\"]\n", "needs a root"},
		{fileHead + "ops = [\"read\"]\nroot = \"state\"\n", "belongs to the agent itself"},
		{fileHead + "ops = [\"read\"]\nroot = \"workspace\"\npath = \"/x\"\n", "does not begin with /"},
		{fileHead + "ops = [\"read\"]\npath = \"/x/../y\"\n", "is no path pattern"},
		{fileHead + "ops = []\nroot = \"workspace\"\n", "ops is missing"},
		{fileHead + "ops = [\"read\"]\nroot = \"workspace\"\nmatch = [\"/x\"]\n", "does not match this example"},
		{"version = 1\n[[waive]]\nrule = \"builtin.powr\"\nwhy = \"w\"\n", "(did you mean builtin.power?)"},
		{"version = 1\n[[waive]]\nrule = \"builtin.self\"\nwhy = \"w\"\n", "can't be waived"},
		{"version = 1\n[[waive]]\nrule = \"builtin.power\"\n", "why is missing"},
		{"version = 1\n[[profile]]\nwhy = \"w\"\n", "a profile needs a name"},
		{"version = 1\n[[profile]]\nname = \"x\"\nwhy = \"w\"\nexec = [\"exec.cat\"]\n", "there is no exec rule"},
		{"version = 1\n[[profile]]\nname = \"x\"\nwhy = \"w\"\nallow = true\n", "[[profile]] has no key \"allow\""},
		{"# " + strings.Repeat("x", source.MaxFile) + "\n", "a policy may have"},
	}
	for _, tt := range tests {
		p, err := Parse("p.toml", []byte(tt.src))
		if p != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.200q: want %q, have %.400v", tt.src, tt.want, err)
		}
	}
}

// TestFileForms reads what editors and other systems make of a file.
func TestFileForms(t *testing.T) {
	plain := smallPolicyParsed(t)
	for name, src := range map[string]string{
		"BOM": "\xef\xbb\xbf" + smallPolicy, "CRLF": strings.ReplaceAll(smallPolicy, "\n", "\r\n"),
		"inline tables": `version = 1
exec = [{argv = ["cat", "{path:read}"], why = "w"}]
file = [{root = "workspace", ops = ["read"], why = "w"}]
tools = {deny = ["gpio"]}
`,
		"dotted keys": "version = 1\ntools.deny = [\"gpio\"]\n",
	} {
		p, err := Parse("p.toml", []byte(src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Offers("gpio") {
			t.Errorf("%s: the tool list was lost", name)
		}
		if p.Hash() == plain.Hash() || len(p.Hash()) != 64 {
			t.Errorf("%s: the hash must be that of its own bytes", name)
		}
	}
	if plain.Name() != "small" {
		t.Error(plain.Name())
	}
}

// TestRuleList looks at what "agent policy show" prints.
func TestRuleList(t *testing.T) {
	p, err := Parse("p.toml", []byte(`version = 1
[[waive]]
rule = "builtin.interactive"
why = "our pagers end by themselves"
[[exec]]
argv = ["less", "{flags}", "{path:read *.log}", "{of:a,b?}"]
why = "w"
[[file]]
root = "workspace"
path = "x/*"
ops = ["read", "list"]
why = "w"
`))
	if err != nil {
		t.Fatal(err)
	}
	var own []Rule
	for _, r := range p.Rules() {
		if r.Kind != "builtin" {
			own = append(own, r)
		}
	}
	want := []Rule{
		{ID: "file.workspace.x", Kind: "file", Verdict: Allow, Form: "{workspace}/x/*: read list", Why: "w"},
		{ID: "exec.less", Kind: "exec", Verdict: Allow, Form: "less {flags} {path:read *.log} {of:a,b?}", Why: "w"},
	}
	if diff := cmp.Diff(want, own); diff != "" {
		t.Error(diff)
	}
	if w := p.Waivers(); len(w) != 1 || w[0].ID != "builtin.interactive" || w[0].Waived != "our pagers end by themselves" {
		t.Errorf("%+v", w)
	}
	if d := labWorld().decide(t, p, argvAction("less", "x/a.log")); d.Rule == "builtin.interactive" {
		t.Errorf("the waived rule still denies: %+v", d)
	}
	if got, want := len(p.Rules())-len(own), len(builtin.Rules); got != want {
		t.Errorf("%d built-in rules are listed, want %d", got, want)
	}
}

// Pins, buses, memory and disks are granted under no pattern, however it is cut.
func TestDevicesThatAreNeverGranted(t *testing.T) {
	rule := func(device string) error {
		_, err := Parse("p.toml", []byte("version = 1\n[[exec]]\nargv = [\"a\"]\nwhy = \"w\"\ndevices = [\""+device+"\"]\n"))
		return err
	}
	for _, d := range []string{"/dev/gpiochip0", "/dev/gpio*", "/dev/g*", "/dev/i2c-1", "/dev/i*", "/dev/s*", "/dev/sd?", "/dev/spidev0.0", "/dev/m*", "/dev/mem", "/dev/v[d]a", "/dev/n*", "/dev/tty*", "/dev/mapper/x", "/dev/disk/by-id/*"} {
		if err := rule(d); err == nil || !strings.Contains(err.Error(), "is never given to commands") {
			t.Errorf("%s: %v", d, err)
		}
	}
	for _, d := range []string{"/dev/snd/*", "/dev/video*", "/dev/ttyUSB*", "/dev/ttyACM0", "/dev/nvhost*", "/dev/nvmap"} {
		if err := rule(d); err != nil {
			t.Errorf("%s: %v", d, err)
		}
	}
}
