package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCase190_FilesCutShort(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"trailing comma", "board = \"sim\"\n[model]\nname = \"x\",\n", `/c.toml:3:11: line 3, column 11: expected newline but got U+002C ',': correct the file's TOML
   3 | name = "x",
     |           ^`},
		{"zero bytes", "", "/c.toml:1:1: line 1, column 1: the file is empty, as a write that was cut short leaves it: delete it and run agent init, or put at least a comment into it\n   1 | \n     | ^"},
		{"twice", "zone = \"UTC\"\nzone = \"UTC\"\n", "/c.toml:2:1: line 2, column 1: key zone is already defined: correct the file's TOML\n   2 | zone = \"UTC\"\n     | ^"},
		{"after wide characters", "zone = \"Zürich\" x\n", "/c.toml:1:17: line 1, column 17: expected newline but got U+0078 'x': correct the file's TOML\n   1 | zone = \"Zürich\" x\n     |                 ^"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loadText(tt.file)
			if err == nil {
				t.Fatal("accepted")
			}
			if d := cmp.Diff(tt.want, err.Error()); d != "" {
				t.Error(d)
			}
		})
	}
	for name, file := range map[string]string{
		"comments only": "# nothing yet\n", "BOM": "\ufeff# nothing yet\n", "CRLF": "# nothing\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := loadText(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want(func(*Config) {}), got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBOMAndCRLFKeepPlaces(t *testing.T) {
	_, err := loadText("\ufeffboad = \"sim\"\r\n[model]\r\nname = \"x\"\r\n")
	w := "/c.toml:1:1: unknown key boad on line 1, did you mean board?\n   1 | boad = \"sim\"\n     | ^^^^"
	if err == nil || err.Error() != w {
		t.Errorf("err:\n%v\nwant:\n%s", err, w)
	}
}

func TestCase191_RetiredKeyWarnsOnce(t *testing.T) {
	got, err := loadText("listen_host = \"127.0.0.1\"\n[model]\nname = \"x\"\n")
	if err != nil {
		t.Fatal(err)
	}
	w := want(func(c *Config) {
		c.Model.Name, c.From = "x", map[string]string{"model.name": "line 3"}
		c.Warnings = []Warning{{
			Key:     "listen_host",
			Message: `listen_host on line 1 is no longer used: write gateway.listen = "127.0.0.1:PORT"`,
			Hint:    "take the old key out of /c.toml",
		}}
	})
	if d := cmp.Diff(w, got); d != "" {
		t.Error(d)
	}
}

func TestCase194_HomeUnset(t *testing.T) {
	_, err := Load(world{}.sources())
	w := `workspace is not known, since HOME is not set: set HARDSHELL_WORKSPACE or --workspace, or write workspace = "/path/to/workspace" into the config file
state is not known, since HOME is not set: set HARDSHELL_STATE or --state, or write state = "/path/to/state" into the config file`
	if err == nil || err.Error() != w {
		t.Errorf("err:\n%v\nwant:\n%s", err, w)
	}
	got, err := Load(world{etc: true, files: map[string]string{"/etc/hardshell/config.toml": "# lab\n"}}.sources())
	if err != nil {
		t.Fatal("installed, without HOME:", err)
	}
	installed := Default()
	installed.Workspace, installed.State, installed.Policy = "/var/lib/hardshell/workspace", "/var/lib/hardshell/state", "/etc/hardshell/policy.toml"
	installed.File, installed.From = "/etc/hardshell/config.toml", map[string]string{}
	if d := cmp.Diff(installed, got); d != "" {
		t.Error(d)
	}
	got, err = Load(world{files: map[string]string{"/d/c.toml": "state = \"s\"\nworkspace = \"w\"\n"}, env: map[string]string{"HARDSHELL_CONFIG": "/d/c.toml"}}.sources())
	if err != nil || got.State != "/d/s" || got.Workspace != "/d/w" || got.Policy != "/d/policy.toml" {
		t.Errorf("folders from the config file: %v, %q %q %q", err, got.State, got.Workspace, got.Policy)
	}
}

func TestNamedFileMustBeThere(t *testing.T) {
	env := map[string]string{"HOME": "/home/eng"}
	for _, tt := range []struct {
		name string
		w    world
		want string
	}{
		{"flag", world{path: "x.toml", env: env}, "/here/x.toml: there is no such config file: agent init writes one, or name another with --config"},
		{"unreadable", world{path: "/x.toml", env: env, files: map[string]string{"/x.toml": "unreadable"}}, "/x.toml: the config file can't be read: open /x.toml: permission denied: correct its path or its permissions"},
		{"default, unreadable", world{env: env, files: map[string]string{"/home/eng/.config/hardshell/config.toml": "unreadable"}}, "/home/eng/.config/hardshell/config.toml: the config file can't be read: open /home/eng/.config/hardshell/config.toml: permission denied: correct its path or its permissions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(tt.w.sources())
			if err == nil || err.Error() != tt.want {
				t.Errorf("err = %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestXDGFolders(t *testing.T) {
	got, err := Load(world{env: map[string]string{
		"HOME": "/home/eng", "XDG_CONFIG_HOME": "/x/c", "XDG_STATE_HOME": "/x/s", "XDG_DATA_HOME": "relative/is/ignored",
	}}.sources())
	if err != nil {
		t.Fatal(err)
	}
	w := []string{"/x/s/hardshell", "/home/eng/.local/share/hardshell/workspace", "/x/c/hardshell/policy.toml"}
	if d := cmp.Diff(w, []string{got.State, got.Workspace, got.Policy}); d != "" {
		t.Error(d)
	}
}
