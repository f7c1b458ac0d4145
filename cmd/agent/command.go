package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"hardshell/policy/wording"
)

// subcommand is one word, or two, of the command line.
type subcommand struct {
	name  string // "ask", "model list"
	args  string // what follows the flags, for the usage line
	short string // one line for the list of commands
	long  string // what it does, with an example
	flags func(fs *flag.FlagSet)
	run   func(ctx context.Context, c *invocation) error
	// prompts says that the command handles interrupts itself: the first stops
	// the turn, the second ends the program.
	prompts bool
}

// globals are the flags that every command takes, before or after its name.
type globals struct {
	config string
	json   bool
	// given holds the flags that stand for a setting, as config.Load takes them.
	given map[string]string
}

// register adds the global flags to a flag set.
func (g *globals) register(fs *flag.FlagSet) {
	fs.StringVar(&g.config, "config", g.config, "config `file`")
	fs.BoolVar(&g.json, "json", g.json, "print JSON instead of text")
	for _, f := range []struct{ name, doc string }{
		{"state", "`folder` of the store and the socket"},
		{"workspace", "`folder` that the agent works in"},
		{"policy", "policy `file`"},
		{"model", "`name` of the model"},
		{"board", "auto, jetson or sim"},
	} {
		fs.Func(f.name, f.doc, func(s string) error {
			g.given[f.name] = s
			return nil
		})
	}
}

// parsed is a command line that was understood.
type parsed struct {
	cmd     subcommand
	globals globals
	args    []string
	help    bool   // only the usage was asked for
	group   string // of commands, as in "agent help policy"; empty: every command
}

// parse understands a command line. Flags may stand anywhere; what follows "--"
// is never a flag.
func parse(table []subcommand, args []string) (parsed, error) {
	line := parsed{globals: globals{given: map[string]string{}}}
	top := newFlagSet("agent")
	line.globals.register(top)
	if len(args) > 0 && (args[0] == "--version" || args[0] == "-version") {
		args = append([]string{"version"}, args[1:]...) // what everybody tries first
	}
	if err := top.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return parsed{help: true}, nil
		}
		return line, flagError(err, top, "agent help")
	}
	words := top.Args()
	if len(words) > 0 && words[0] == "help" {
		line.help = true
		words = words[1:]
		if len(words) == 0 {
			return line, nil
		}
	}
	if len(words) == 2 && slices.Contains([]string{"--help", "-help", "-h"}, words[1]) && len(group(table, words[0])) > 0 {
		line.help, words = true, words[:1] // of a group, which is no command with flags
	}
	if line.help && len(words) == 1 && len(group(table, words[0])) > 0 {
		line.group = words[0]
		return line, nil
	}
	cmd, rest, err := find(table, words)
	if err != nil {
		return line, err
	}
	line.cmd = cmd
	fs := newFlagSet(cmd.name)
	line.globals.register(fs)
	if cmd.flags != nil {
		cmd.flags(fs)
	}
	line.args, err = anywhere(fs, rest)
	if errors.Is(err, flag.ErrHelp) {
		line.help = true
		return line, nil
	}
	if err != nil {
		return line, flagError(err, fs, "agent help "+cmd.name)
	}
	return line, nil
}

// anywhere parses flags that may stand between the other words.
func anywhere(fs *flag.FlagSet, args []string) ([]string, error) {
	var words []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		used := len(args) - fs.NArg()
		if used > 0 && args[used-1] == "--" {
			return append(words, fs.Args()...), nil
		}
		if fs.NArg() == 0 {
			return words, nil
		}
		words = append(words, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

// find is the command that the first words name, two words before one.
func find(table []subcommand, words []string) (subcommand, []string, error) {
	if len(words) == 0 {
		return subcommand{}, nil, usageError("agent chat, or agent init on a new machine; agent help lists the commands", "no command given")
	}
	for n := min(2, len(words)); n > 0; n-- {
		name := strings.Join(words[:n], " ")
		if i := slices.IndexFunc(table, func(c subcommand) bool { return c.name == name }); i >= 0 {
			return table[i], words[n:], nil
		}
	}
	of := group(table, words[0])
	now := former[words[0]]
	switch {
	case now != "":
		return subcommand{}, nil, usageError("agent help "+now, "there is no command %q, did you mean agent %s?", words[0], now)
	case len(of) > 0 && len(words) > 1:
		name := words[0] + " " + words[1]
		return subcommand{}, nil, usageError("agent help "+words[0], "there is no command %q%s", name, wording.Meant(name, "agent ", names(of)))
	case len(of) > 0:
		return subcommand{}, nil, usageError("agent help "+words[0], "%s needs one of: %s", words[0], strings.Join(names(of), ", "))
	}
	first := make([]string, len(table))
	for i, c := range table {
		first[i], _, _ = strings.Cut(c.name, " ")
	}
	return subcommand{}, nil, usageError("agent help lists the commands", "there is no command %q%s", words[0], wording.Meant(words[0], "agent ", first))
}

// former are words that commands began with once, and what they begin with now.
var former = map[string]string{"jobs": "process"}

// group are the commands of two words that begin with a word.
func group(table []subcommand, word string) []subcommand {
	return slices.DeleteFunc(slices.Clone(table), func(c subcommand) bool { return !strings.HasPrefix(c.name, word+" ") })
}

// names are the names of commands.
func names(table []subcommand) []string {
	var out []string
	for _, c := range table {
		out = append(out, c.name)
	}
	return out
}

// newFlagSet gives a flag set that prints nothing by itself.
func newFlagSet(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// flagError is a flag of a set that can't be understood.
func flagError(err error, fs *flag.FlagSet, hint string) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		var known []string
		fs.VisitAll(func(f *flag.Flag) { known = append(known, f.Name) })
		near := ""
		if len(name) > 1 {
			near = wording.Meant(name, "--", known)
		}
		return usageError(hint, "there is no flag %s%s", dashed(name), near)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return usageError(hint, "%s needs a value behind it", dashed(name))
	}
	// Such as: invalid value "x" for flag -n: parse error
	if before, name, ok := strings.Cut(strings.TrimSuffix(text, ": parse error"), " for "); ok && strings.HasPrefix(before, "invalid ") {
		name = strings.TrimLeft(strings.TrimPrefix(name, "flag "), "-")
		return usageError(hint, "%s can't be %s", dashed(name), before[strings.Index(before, `"`):])
	}
	return usageError(hint, "%s", text)
}

// dashed is a flag as a person writes it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// usage is the text of "agent help NAME".
func (c subcommand) usage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: agent %s [flags]", c.name)
	if c.args != "" {
		b.WriteString(" " + c.args)
	}
	b.WriteString("\n\n" + strings.TrimSpace(c.long) + "\n")
	fs := newFlagSet(c.name)
	if c.flags != nil {
		c.flags(fs)
	}
	b.WriteString(flagList("\nflags:\n", fs))
	b.WriteString("\nagent help lists the flags that every command takes\n")
	return b.String()
}

// overview is the text of "agent help".
func overview(table []subcommand) string {
	var b strings.Builder
	b.WriteString("usage: agent [flags] COMMAND [flags] …\n\nAn agent for a hardware lab, on the device. Policy decides what it may do.\n\n")
	b.WriteString(commandList(table))
	fs := newFlagSet("agent")
	(&globals{given: map[string]string{}}).register(fs)
	b.WriteString(flagList("\nflags of every command:\n", fs))
	b.WriteString("\nexit codes: 0 done, 1 failed, 2 usage, config or policy wrong, 3 refused by policy,\n" +
		"4 model server or model not there, 5 limit reached, 6 a person would be asked,\n78 serve: 2 of other commands, 130 interrupted\n" +
		"\nagent help COMMAND tells more; a first run: agent init, then agent chat\n")
	return b.String()
}

// groupUsage is the text of "agent help NAME" for the commands that share a first word.
func groupUsage(table []subcommand, word string) string {
	return fmt.Sprintf("usage: agent %s COMMAND [flags] …\n\n%s\nagent help %s COMMAND tells more\n", word, commandList(group(table, word)), word)
}

// commandList has a line for each command.
func commandList(table []subcommand) string {
	var b strings.Builder
	for _, c := range table {
		fmt.Fprintf(&b, "  %-16s %s\n", c.name, c.short)
	}
	return b.String()
}

// flagList lists the flags of a set under a heading, empty when it has none.
func flagList(heading string, fs *flag.FlagSet) string {
	var b strings.Builder
	fs.VisitAll(func(f *flag.Flag) {
		kind, doc := flag.UnquoteUsage(f)
		name := dashed(f.Name)
		if kind != "" {
			name += " " + strings.ToUpper(kind)
		}
		fmt.Fprintf(&b, "  %-20s %s\n", name, doc)
	})
	if b.Len() == 0 {
		return ""
	}
	return heading + b.String()
}
