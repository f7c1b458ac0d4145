package config

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// world is a machine for Load: files, environment, flags.
type world struct {
	files map[string]string
	env   map[string]string
	flags map[string]string
	path  string
	etc   bool
}

// sources gives Load this world and nothing of the real one.
func (w world) sources() Sources {
	return Sources{
		Path: w.path, Flags: w.flags, Dir: "/here", Installed: w.etc,
		Getenv: func(k string) string { return w.env[k] },
		ReadFile: func(p string) ([]byte, error) {
			s, ok := w.files[p]
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
			}
			if s == "unreadable" {
				return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrPermission}
			}
			return []byte(s), nil
		},
	}
}

// loadText loads one file with a home.
func loadText(text string) (Config, error) {
	return Load(world{files: map[string]string{"/c.toml": text}, env: map[string]string{"HOME": "/home/eng"}, path: "/c.toml"}.sources())
}

// want is the default config at a home, changed by f.
func want(f func(c *Config)) Config {
	c := Default()
	c.Workspace, c.State, c.Policy = "/home/eng/.local/share/hardshell/workspace", "/home/eng/.local/state/hardshell", "/policy.toml"
	c.File, c.From = "/c.toml", map[string]string{}
	f(&c)
	return c
}

func TestCase197_ConfigNeedsNoKey(t *testing.T) {
	got, err := Load(world{env: map[string]string{"HOME": "/home/eng"}}.sources())
	if err != nil {
		t.Fatal(err)
	}
	w := want(func(c *Config) {
		c.File, c.Policy = "", "/home/eng/.config/hardshell/policy.toml"
	})
	if d := cmp.Diff(w, got); d != "" {
		t.Error(d)
	}
}

func TestOrderOfSources(t *testing.T) {
	file := "workspace = \"ws\"\nstate = \"~/st\"\nboard = \"jetson\"\n[model]\nname = \"file\"\nhost = \"board:1\"\n"
	for _, tt := range []struct {
		name string
		w    world
		f    func(c *Config)
	}{
		{"file", world{}, func(c *Config) {
			c.Workspace, c.State, c.Board, c.Model.Name, c.Model.Host = "/ws", "/home/eng/st", "jetson", "file", "board:1"
			c.From = map[string]string{"workspace": "line 1", "state": "line 2", "board": "line 3", "model.name": "line 5", "model.host": "line 6"}
		}},
		{
			"environment",
			world{env: map[string]string{
				"HARDSHELL_WORKSPACE": "w", "HARDSHELL_STATE": "s", "HARDSHELL_POLICY": "p", "HARDSHELL_MODEL": "env", "HARDSHELL_BOARD": "sim", "OLLAMA_HOST": "far:2",
			}},
			func(c *Config) {
				c.Workspace, c.State, c.Policy, c.Board, c.Model.Name, c.Model.Host = "/here/w", "/here/s", "/here/p", "sim", "env", "far:2"
				c.From = map[string]string{
					"workspace": "HARDSHELL_WORKSPACE", "state": "HARDSHELL_STATE", "policy": "HARDSHELL_POLICY",
					"board": "HARDSHELL_BOARD", "model.name": "HARDSHELL_MODEL", "model.host": "OLLAMA_HOST",
				}
			},
		},
		{
			"flags",
			world{
				env:   map[string]string{"HARDSHELL_WORKSPACE": "w", "HARDSHELL_MODEL": "env", "HARDSHELL_BOARD": "nonsense"},
				flags: map[string]string{"workspace": "/f", "state": "f", "policy": "~/p", "model": "", "board": "auto"},
			},
			func(c *Config) {
				c.Workspace, c.State, c.Policy, c.Board, c.Model.Name, c.Model.Host = "/f", "/here/f", "/home/eng/p", "auto", "", "board:1"
				c.From = map[string]string{
					"workspace": "--workspace", "state": "--state", "policy": "--policy", "board": "--board", "model.name": "--model", "model.host": "line 6",
				}
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.w.files, tt.w.path = map[string]string{"/c.toml": file}, "/c.toml"
			if tt.w.env == nil {
				tt.w.env = map[string]string{}
			}
			tt.w.env["HOME"] = "/home/eng"
			got, err := Load(tt.w.sources())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want(tt.f), got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEveryKindOfValue(t *testing.T) {
	temp := 0.5
	got, err := loadText(`zone = "Europe/Berlin"
[model]
num_ctx = 8192
keep_alive = "forever"
temperature = 0.5
connect_timeout = "1500ms"
[turn]
max_question = "64KiB"
max_time = "1h30m"
[exec]
output_bytes = 4096
[prompt]
bootstrap_window_share = 0.5
[sandbox]
weaker_ok = true
[secrets]
names = ["TOKEN"]
values = ["s3cret-value"]
[gateway]
listen = "127.0.0.1:8700"
[[agent]]
id = "main"
model = "tiny"
[[agent]]
id = "night"
workspace = "n"
`)
	if err != nil {
		t.Fatal(err)
	}
	w := want(func(c *Config) {
		c.Zone = "Europe/Berlin"
		c.Model.Name, c.Model.NumCtx, c.Model.KeepAlive, c.Model.Temperature, c.Model.ConnectTimeout = "tiny", 8192, forever, &temp, Duration(1500*time.Millisecond)
		c.Turn.MaxQuestion, c.Turn.MaxTime = 64<<10, Duration(90*time.Minute)
		c.Exec.OutputBytes = 4096
		c.Prompt.WindowShare = 0.5
		c.Sandbox.WeakerOK = true
		c.Secrets = Secrets{Names: []string{"TOKEN"}, Values: []string{"s3cret-value"}}
		c.Gateway.Listen = "127.0.0.1:8700"
		c.Agents = []Agent{{ID: "main", Model: "tiny"}, {ID: "night", Workspace: "/n"}}
		// What the others get where main has a word of its own.
		chars, total, list, share, tags := 20000, 60000, 6000, 0.5, false
		c.Shared = &Agent{
			Workspace: c.Workspace, Think: "off", Reasoning: "off", FileChars: &chars, TotalChars: &total, WindowShare: &share, SkillsChars: &list,
			TimeFormat: "24h", CutNotice: "once", Citations: "auto", Delegation: "suggest", ReplyTags: &tags,
		}
		c.From = map[string]string{
			"zone": "line 1", "model.num_ctx": "line 3", "model.keep_alive": "line 4", "model.temperature": "line 5", "model.connect_timeout": "line 6",
			"turn.max_question": "line 8", "turn.max_time": "line 9", "exec.output_bytes": "line 11", "prompt.bootstrap_window_share": "line 13",
			"sandbox.weaker_ok": "line 15", "secrets.names": "line 17", "secrets.values": "line 18", "gateway.listen": "line 20",
			"agent.0.id": "line 22", "agent.0.model": "line 23", "agent.1.id": "line 25", "agent.1.workspace": "line 26", "model.name": "line 23",
		}
	})
	if d := cmp.Diff(w, got); d != "" {
		t.Error(d)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"unknown key", "[model]\nnane = \"x\"\n", `/c.toml:2:1: unknown key model.nane on line 2, did you mean name?
   2 | nane = "x"
     | ^^^^`},
		{"unknown section", "[modle]\nname = \"x\"\n", `/c.toml:1:2: unknown section modle on line 1, did you mean model?
   1 | [modle]
     |  ^^^^^`},
		{"key of another section", "[turn]\nkeep_alive = \"1h\"\n", `/c.toml:2:1: unknown key turn.keep_alive on line 2, did you mean model.keep_alive?
   2 | keep_alive = "1h"
     | ^^^^^^^^^^`},
		{"key like nothing", "favourite_colour = \"red\"\n", `/c.toml:1:1: unknown key favourite_colour on line 1: agent config schema lists every key
   1 | favourite_colour = "red"
     | ^^^^^^^^^^^^^^^^`},
		{
			"many", "boad = \"sim\"\n[model]\n\tnum_ctx = \"big\"\n\tkeep_alive = 30\ntemperature = 7\n[exec]\ntimeout = \"2h\"\n[turn]\nmax_steps = 0\nmax_time = \"soon\"\n[[agent]]\nid = \"a b\"\ncolour = 1\n",
			`/c.toml:1:1: unknown key boad on line 1, did you mean board?
   1 | boad = "sim"
     | ^^^^
/c.toml:3:2: model.num_ctx on line 3 wants a whole number, not the string "big": leave the quotes out
   3 | 	num_ctx = "big"
     | 	^^^^^^^
/c.toml:4:2: model.keep_alive on line 4 = "30" has no unit: write "30s", "30m" or "30h"
   4 | 	keep_alive = 30
     | 	^^^^^^^^^^
/c.toml:5:1: model.temperature = 7 is out of range: write 0 to 2
   5 | temperature = 7
     | ^^^^^^^^^^^
/c.toml:7:1: exec.timeout = 2h is more than exec.max_timeout = 30m: lower the first or raise the second
   7 | timeout = "2h"
     | ^^^^^^^
/c.toml:9:1: turn.max_steps = 0 is out of range: write 1 to 1000
   9 | max_steps = 0
     | ^^^^^^^^^
/c.toml:10:1: turn.max_time on line 10 = "soon" is no time span: write it like "90s", "10m" or "1h30m"
  10 | max_time = "soon"
     | ^^^^^^^^
/c.toml:12:1: agent id "a b" is no name: use letters, digits, dot, dash and underscore, at most 64 of them
  12 | id = "a b"
     | ^^
/c.toml:13:1: unknown key agent.0.colour on line 13: agent config schema lists every key
  13 | colour = 1
     | ^^^^^^`,
		},
		{"inline table", "model = {name = \"x\", nun_ctx = 1}\n", `/c.toml:1:22: unknown key model.nun_ctx on line 1, did you mean num_ctx?
   1 | model = {name = "x", nun_ctx = 1}
     |                      ^^^^^^^`},
		{"section as value", "model = \"x\"\nagent = 3\n", `/c.toml:1:1: model on line 1 is a section, not a value: write [model] and its keys below
   1 | model = "x"
     | ^^^^^
/c.toml:2:1: agent on line 2 is a list of tables: write [[agent]], once for each agent
   2 | agent = 3
     | ^^^^^`},
		{"window and reply", "[model]\nnum_ctx = 100\n", "/c.toml:2:1: model.num_ctx = 100 is too small for the prompt: write 0 to have it chosen, or at least 2048\n   2 | num_ctx = 100\n     | ^^^^^^^"},
		{"open gateway", "[gateway]\nlisten = \"0.0.0.0:80\"\n", "/c.toml:2:1: gateway.listen = \"0.0.0.0:80\" is no loopback address with a port: write 127.0.0.1:8700, or [::1]:8700, and reach it from elsewhere through ssh -L\n   2 | listen = \"0.0.0.0:80\"\n     | ^^^^^^"},
		{"zone", "zone = \"Mars/Base\"\n", "/c.toml:1:1: zone = \"Mars/Base\" is no time zone: write an IANA name such as Europe/Berlin\n   1 | zone = \"Mars/Base\"\n     | ^^^^"},
		{"twins", "[[agent]]\nid=\"a\"\n[[agent]]\nid=\"a\"\n[[agent]]\nmodel=\"x\"\n", "/c.toml:4:1: agent id \"a\" is there twice: give each agent a name of its own\n   4 | id=\"a\"\n     | ^^\n/c.toml:5:3: [[agent]] number 3 has no id: write id = \"name\"\n   5 | [[agent]]\n     |   ^^^^^"},
		{"short secret", "[secrets]\nvalues = [\"abc\"]\n", "/c.toml:2:1: secrets.values: entry 1 has fewer than 6 characters, so masking it would garble ordinary text: take it out\n   2 | values = [\"abc\"]\n     | ^^^^^^"},
		{"enum", "board = \"pi\"\n", "/c.toml:1:1: board = \"pi\" is none of auto, jetson, sim\n   1 | board = \"pi\"\n     | ^^^^^"},
		{"no end", "[turn]\nmax_time = \"forever\"\n", "/c.toml:2:1: turn.max_time = \"forever\" has no end: write a span of at most 24h\n   2 | max_time = \"forever\"\n     | ^^^^^^^^"},
		{"wrong kinds", "zone = 1\n[sandbox]\nweaker_ok = \"yes\"\n[secrets]\nnames = [\"A\", 2]\nvalues = \"x\"\n[model]\nname = true\ntemperature = 2026-01-01\n", `/c.toml:1:1: zone on line 1 wants a string, not the number 1
   1 | zone = 1
     | ^^^^
/c.toml:3:1: sandbox.weaker_ok on line 3 wants true or false, not the string "yes": leave the quotes out
   3 | weaker_ok = "yes"
     | ^^^^^^^^^
/c.toml:5:1: secrets.names on line 5 wants a list of strings, but entry 2 is a number
   5 | names = ["A", 2]
     | ^^^^^
/c.toml:6:1: secrets.values on line 6 wants a list of strings, not one: write ["x"]
   6 | values = "x"
     | ^^^^^^
/c.toml:8:1: model.name on line 8 wants a string, not true
   8 | name = true
     | ^^^^
/c.toml:9:1: model.temperature on line 9 wants a number, not a date or time
   9 | temperature = 2026-01-01
     | ^^^^^^^^^^^`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := loadText(tt.file)
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("err = %v, want an *Error", err)
			}
			if d := cmp.Diff(tt.want, bad.Error()); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(Config{}, c); d != "" {
				t.Errorf("a refused config was handed out: %s", d)
			}
		})
	}
}

func TestOutsideValuesNameTheirSource(t *testing.T) {
	_, err := Load(world{
		env:   map[string]string{"HOME": "/home/eng", "HARDSHELL_BOARD": "pi"},
		flags: map[string]string{"model": "a\x00b"},
	}.sources())
	w := "model.name (from --model) holds a zero byte: write plain text\nboard = \"pi\" is none of auto, jetson, sim (from HARDSHELL_BOARD)"
	if err == nil || err.Error() != w {
		t.Errorf("err:\n%v\nwant:\n%s", err, w)
	}
}

// TestShippedConfig holds that every line which the shipped file offers as a comment
// says what is in force without it, where it has a default, and can be read.
func TestShippedConfig(t *testing.T) {
	b, err := os.ReadFile("../../deploy/jetson/config.toml")
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`(?m)^# (\[+[a-z_.]+\]+|[a-z_]+ = )`).ReplaceAllString(string(b), "$1")
	w := world{files: map[string]string{"/etc/hardshell/config.toml": all}, env: map[string]string{"HOME": "/home/kim"}, etc: true}
	got, err := Load(w.sources())
	if err != nil {
		t.Fatal(err)
	}
	want, err := Load(world{env: w.env, files: map[string]string{"/etc/hardshell/config.toml": string(b)}, etc: true}.sources())
	if err != nil {
		t.Fatal(err)
	}
	// What has no default that could stand there is an example.
	want.Workspace, want.State, want.Zone = "/home/kim/lab", "/home/kim/.local/state/hardshell", "Europe/Berlin"
	want.Model.Name, want.Model.NumCtx, want.Model.Aliases = "qwen3:4b", 8192, Names{"fast": "qwen3:1.7b"}
	want.Exec.CPUs, want.Secrets.Names = 2, []string{"LAB_TOKEN"}
	want.Agents = got.Agents
	want.From, got.From = nil, nil
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(got.Agents) != 1 || got.Agents[0].ID != "night" || got.Agents[0].Workspace != "/home/kim/night" {
		t.Errorf("agents: %+v", got.Agents)
	}
}

// FuzzLoad holds that no file makes Load panic, that every refusal tells a
// problem, and that what is in force passes its own checks when it is written
// out and read again.
func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		"", "# c\n", "[model]\nname = 'x'\n", "a.b.c = 1", "[[agent]]\nid = \"x\"\n[agent.y]\nz=1\n", "model = {name = 'x', keep_alive = \"forever\"}",
		"\ufeff[turn]\r\nmax_time = \"1h\"\r\n", "agent = [1, {id = 'a'}]", "[agent]\nid='x'", "'' = 1\n\"a\\u0000b\" = 2", "zone = \"\\u0001\"\n", "[model.name]\nx=1", "agent.0.id = 1",
		"[exec]\noutput_bytes = 9223372036854775807\n", "[model]\ntemperature = nan\n", "x = 1979-05-27T07:32:00Z",
	} {
		f.Add(s)
	}
	if b, err := os.ReadFile("../../deploy/jetson/config.toml"); err == nil {
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := loadText(text)
		if err != nil {
			var bad *Error
			if !errors.As(err, &bad) || len(bad.Problems) == 0 || strings.TrimSpace(bad.Error()) == "" {
				t.Fatalf("a refusal without a problem: %#v", err)
			}
			return
		}
		c.Secrets.Values = nil // hidden in what is written out
		again, err := loadText(c.TOML())
		if err != nil {
			t.Fatalf("what is in force is refused when written out:\n%s\n%v", c.TOML(), err)
		}
		c.From, again.From, c.Warnings = nil, nil, nil
		again.Secrets.Values = nil
		if d := cmp.Diff(c, again); d != "" {
			t.Fatalf("written out and read again it differs: %s", d)
		}
	})
}
