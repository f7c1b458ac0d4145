package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hardshell/cmd/agent/term"
	"hardshell/deploy/jetson"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

func initCommand() subcommand {
	return subcommand{
		name: "init", args: "[FOLDER]", short: "write a workspace, the lab policy and a config",
		long: `
Writes what a first run wants: a workspace with its files, the lab policy and a
config file. What is already there is kept as it is, whatever it holds. FOLDER is
the workspace; with it, or with --state or --board, the config names them too.

  agent init
  agent init ~/lab --board sim
`,
		run: func(_ context.Context, inv *invocation) error {
			if len(inv.args) > 1 {
				return usageError("agent help init", "init takes one FOLDER, not %q as well", inv.args[1])
			}
			if len(inv.args) == 1 {
				inv.given["workspace"] = inv.args[0]
			}
			p, err := plant(inv)
			if err != nil {
				return err
			}
			if inv.json {
				term.JSON(inv.stdout, p)
				return nil
			}
			for _, f := range p.Wrote {
				fmt.Fprintf(inv.stdout, "wrote %s\n", f)
			}
			for _, f := range p.Kept {
				fmt.Fprintf(inv.stdout, "kept  %s\n", f)
			}
			if p.Again {
				fmt.Fprintf(inv.stderr, "the workspace was begun before, so there is no first conversation\n")
			}
			fmt.Fprintf(inv.stderr, "try: agent chat%s\n", p.flags)
			return nil
		},
	}
}

// planted is what init did, file by file.
type planted struct {
	Wrote []string `json:"wrote"`
	Kept  []string `json:"kept"`
	// Again says that the workspace is empty and was not always so.
	Again bool `json:"again,omitempty"`
	// flags are those that the next command needs as well, since the config does
	// not say what they say.
	flags string
}

// plant writes all files that are not there.
func plant(inv *invocation) (planted, error) {
	p := planted{Wrote: []string{}, Kept: []string{}}
	src, err := inv.sources()
	if err != nil {
		return p, err
	}
	src.ReadFile = missingAsEmpty
	cfg, err := config.Load(src)
	if err != nil {
		return p, err
	}
	file := src.File()
	if file == "" {
		return p, usageError("name a file with --config", "there is no place for a config file, since HOME is not set")
	}
	text, err := sampleConfig(inv, file, cfg)
	if err != nil {
		return p, err
	}
	policyText, err := fs.ReadFile(jetson.Files, "policy.toml")
	if err != nil {
		return p, err
	}
	if err := p.put(file, text); err != nil {
		return p, err
	}
	if err := p.put(cfg.Policy, policyText); err != nil {
		return p, err
	}
	if err := p.workspace(cfg.Workspace, seeds{cfg.State}); err != nil {
		return p, err
	}
	p.flags, err = unsaidFlags(inv, src, cfg)
	return p, err
}

// unsaidFlags are the flags of this command line without which the next one would mean
// something else: a config file that was there before is kept as it is.
func unsaidFlags(inv *invocation, src config.Sources, cfg config.Config) (string, error) {
	src.Flags, src.ReadFile = nil, os.ReadFile
	plain, err := config.Load(src)
	if err != nil {
		return "", err
	}
	out := ""
	if inv.config != "" {
		out = " --config " + quoted(inv.config)
	}
	was := planned(plain)
	for i, set := range planned(cfg) {
		if _, given := inv.given[set.flag]; given && set.val != was[i].val {
			out += " --" + set.flag + " " + quoted(set.val)
		}
	}
	return out, nil
}

// quoted is a word as a shell takes it.
func quoted(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("-_./:,+@%=", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// planned are the settings that a command line of init can put into the config.
func planned(cfg config.Config) []struct{ flag, key, val string } {
	return []struct{ flag, key, val string }{
		{"model", "model.name", cfg.Model.Name},
		{"board", "board", cfg.Board},
		{"policy", "policy", cfg.Policy},
		{"state", "state", cfg.State},
		{"workspace", "workspace", cfg.Workspace},
	}
}

// missingAsEmpty reads a file and takes a missing one for one that sets nothing.
func missingAsEmpty(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte("# none\n"), nil
	}
	return b, err
}

// sampleConfig is the config file to write: the one that is shipped, with the folders
// and the board that this command line named.
func sampleConfig(inv *invocation, file string, cfg config.Config) ([]byte, error) {
	text, err := fs.ReadFile(jetson.Files, "config.toml")
	if err != nil {
		return nil, err
	}
	for _, set := range planned(cfg) {
		if _, given := inv.given[set.flag]; !given {
			continue
		}
		if text, err = config.SetByPerson(file, text, set.key, set.val); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// workspace writes the files of a workspace. One that has files already gets only
// those of the top level that every workspace has: neither the example's notes
// nor BOOTSTRAP.md, which belongs to a brand-new one and never comes back, not even
// when everything in the folder was removed.
func (p *planted) workspace(dir string, sown seeds) error {
	old, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return event.Errorf("init", "name another folder: agent init FOLDER", "the workspace can't be read: %v", err)
	}
	known, err := sown.has(dir)
	if err != nil {
		return err
	}
	p.Again = known && len(old) == 0
	fresh := !known && len(old) == 0
	err = fs.WalkDir(jetson.Files, "workspace", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if len(old) > 0 && path.Dir(name) != "workspace" || !fresh && d.Name() == "BOOTSTRAP.md" {
			return nil
		}
		text, err := fs.ReadFile(jetson.Files, name)
		if err != nil {
			return err
		}
		return p.put(filepath.Join(dir, strings.TrimPrefix(name, "workspace/")), text)
	})
	if err == nil && !known {
		err = sown.add(dir)
	}
	return err
}

// put writes one file that is not there yet. Links are not followed, and a file
// that appears in the same moment is kept.
func (p *planted) put(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return event.Errorf("init", "make the folder yourself, or name another one", "the folder of %s can't be made: %v", name, err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		p.Kept = append(p.Kept, name)
		return nil
	}
	if err == nil {
		_, err = f.Write(text)
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}
	if err != nil {
		return event.Errorf("init", "free some space or name another folder, and run it again: what was written stays", "%s can't be written: %v", name, err)
	}
	p.Wrote = slices.Concat(p.Wrote, []string{name})
	return nil
}
