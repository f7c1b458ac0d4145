package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
)

// Sources is where settings come from. Load looks at nothing else.
type Sources struct {
	// Path is the config file as --config names it. Empty: HARDSHELL_CONFIG,
	// else config.toml in the usual folder, which may be missing.
	Path string
	// Getenv reads the environment.
	Getenv func(string) string
	// Flags holds the flags that were given, by name: state, workspace, policy,
	// model, board.
	Flags map[string]string
	// ReadFile reads the file; a missing one gives an error that is
	// fs.ErrNotExist.
	ReadFile func(string) ([]byte, error)
	// Dir is the working folder, from which relative paths of flags and
	// environment are taken.
	Dir string
	// Installed says that EtcDir exists, so that the folders of the machine are
	// used instead of the person's.
	Installed bool
}

// Load gives the settings that are in force. An error is an *Error and tells
// everything that is wrong at once; no part of such a config should be used.
func Load(src Sources) (Config, error) {
	c := Default()
	c.From = map[string]string{}
	at := locate(src.Installed, src.Getenv)
	path, named := src.path(at)
	bad := &Error{}
	place := func(key, text string) Fault { return Fault{Key: key, Text: text} }
	f, err := src.read(path, named)
	if err != nil {
		return Config{}, err
	}
	if f != nil {
		c.File, bad.File, place = path, path, f.problem
		b := binder{f: f, c: &c}
		b.bind()
		bad.Problems = b.problems
	}
	bad.Problems = append(bad.Problems, c.override(src)...)
	bad.Problems = append(bad.Problems, c.check(place)...)
	c.settle(src, at, path)
	c.layMain()
	bad.Problems = append(bad.Problems, c.homeless()...)
	bad.Problems = append(bad.Problems, c.crossed(place)...)
	if len(bad.Problems) > 0 {
		bad.sort()
		return Config{}, bad
	}
	return c, nil
}

// File is the config file that Load would read; empty when no place for one is
// known.
func (src Sources) File() string {
	path, _ := src.path(locate(src.Installed, src.Getenv))
	return path
}

// path is the config file to read and whether somebody named it.
func (src Sources) path(at folders) (string, bool) {
	switch {
	case src.Path != "":
		return absolute(src.Path, src.Dir, src.Getenv), true
	case src.Getenv("HARDSHELL_CONFIG") != "":
		return absolute(src.Getenv("HARDSHELL_CONFIG"), src.Dir, src.Getenv), true
	}
	return sub(at.config, "config.toml"), false
}

// read reads and parses the file, nil when there is none. A file that nobody
// named may be missing.
func (src Sources) read(path string, named bool) (*file, error) {
	if path == "" {
		return nil, nil
	}
	data, err := src.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{File: path, Problems: []Fault{{Text: "there is no such config file: agent init writes one, or name another with --config"}}}
	case err != nil:
		return nil, &Error{File: path, Problems: []Fault{{Text: fmt.Sprintf("the config file can't be read: %v: correct its path or its permissions", err)}}}
	}
	f, bad := parse(path, data)
	if bad != nil {
		return nil, bad
	}
	return f, nil
}

// override lets the environment and then the flags win over the file. An empty
// variable counts as unset; an empty flag was meant.
func (c *Config) override(src Sources) []Fault {
	var out []Fault
	v := reflect.ValueOf(c).Elem()
	for _, f := range fieldsOf(configType, "", nil) {
		from, text := "", ""
		if f.Env != "" && src.Getenv(f.Env) != "" {
			from, text = f.Env, src.Getenv(f.Env)
		}
		if s, ok := src.Flags[f.Flag]; ok && f.Flag != "" {
			from, text = "--"+f.Flag, s
		}
		if from == "" {
			continue
		}
		if err := f.set(v, text); err != nil {
			out = append(out, Fault{Key: f.Key, Text: fmt.Sprintf("%s (from %s) %s", f.Key, from, err)})
			continue
		}
		c.From[f.Key] = from
	}
	return out
}

// settle makes the folders absolute and fills in the usual ones.
func (c *Config) settle(src Sources, at folders, path string) {
	beside := at.config
	if path != "" {
		beside = filepath.Dir(path)
	}
	for i, a := range c.Agents {
		c.Agents[i].Model = c.ModelOf(a.Model)
		c.Agents[i].Workspace = absolute(a.Workspace, beside, src.Getenv)
	}
	c.Model.Name = c.ModelOf(c.Model.Name)
	for _, p := range []struct {
		dst        *string
		key, usual string
	}{
		{&c.Workspace, "workspace", at.workspace},
		{&c.State, "state", at.state},
		{&c.Policy, "policy", sub(beside, "policy.toml")},
	} {
		base := beside
		if c.outside(p.key) {
			base = src.Dir
		}
		if *p.dst == "" {
			*p.dst = p.usual
		}
		*p.dst = absolute(*p.dst, base, src.Getenv)
	}
}

// ModelOf is the model behind an alias, or the name itself.
func (c Config) ModelOf(name string) string {
	if to, ok := c.Model.Aliases[name]; ok {
		return to
	}
	return name
}

// outside reports whether a key came from the environment or a flag.
func (c *Config) outside(key string) bool {
	from := c.From[key]
	return from != "" && !strings.HasPrefix(from, "line ")
}

// homeless names the folders that nobody knows.
func (c *Config) homeless() []Fault {
	var out []Fault
	for _, p := range []struct{ path, key, remedy string }{
		{c.Workspace, "workspace", "HARDSHELL_WORKSPACE or --workspace"},
		{c.State, "state", "HARDSHELL_STATE or --state"},
	} {
		if p.path == "" {
			out = append(out, Fault{Key: p.key, Text: fmt.Sprintf(
				"%s is not known, since HOME is not set: set %s, or write %s = %q into the config file",
				p.key, p.remedy, p.key, "/path/to/"+p.key)})
		}
	}
	return out
}
