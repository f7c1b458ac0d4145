package assembly

import (
	"fmt"
	"strings"
)

// where says on which machine the agent lives.
func where(h Host) string {
	name, board := oneLine(h.Name), oneLine(h.Board)
	switch {
	case name == "" && board == "":
		return "this machine"
	case name == "":
		return "a " + board
	case board == "":
		return name
	}
	return name + " (" + board + ")"
}

// toolLines tells of every tool in one line, in the order of the array.
func toolLines(tools []Tool) string {
	lines := make([]string, 0, len(tools))
	for _, t := range tools {
		l := "- " + t.Name
		if guide := oneLine(t.Guide); guide != "" {
			l += ": " + guide
		}
		lines = append(lines, l)
	}
	return strings.Join(lines, "\n")
}

// writable names the folders that may be written.
func writable(w WorkFolder) string {
	parts := make([]string, 0, len(w.Writable))
	for _, dir := range w.Writable {
		if dir == w.Dir {
			dir = "this folder"
		}
		parts = append(parts, dir)
	}
	return orWord(list(parts), "nothing")
}

// aliasLine lists the model names to use.
func aliasLine(aliases []Alias) string {
	parts := make([]string, 0, len(aliases))
	for _, a := range aliases {
		parts = append(parts, oneLine(a.Name)+" = "+oneLine(a.Model))
	}
	return strings.Join(parts, ", ")
}

// runtimeLine is one line of facts that are fixed for a session; what is unknown
// is left out.
func runtimeLine(in *Input) string {
	platform := oneLine(in.Host.OS)
	if in.Host.Arch != "" {
		platform += "/" + oneLine(in.Host.Arch)
	}
	window := ""
	if in.Model.Window > 0 {
		window = fmt.Sprint(in.Model.Window)
	}
	var parts []string
	for _, f := range []struct{ name, value string }{
		{"host", oneLine(in.Host.Name)},
		{"os", platform},
		{"board", oneLine(in.Host.Board)},
		{"agent", oneLine(in.Agent.ID)},
		{"repo", oneLine(in.Workspace.Repo)},
		{"model", oneLine(in.Model.Name)},
		{"window", window},
		{"thinking", oneLine(in.Model.Thinking)},
	} {
		if f.value != "" {
			parts = append(parts, f.name+"="+f.value)
		}
	}
	return orWord(strings.Join(parts, " | "), "unknown")
}

// list joins values that each stand in one line.
func list(values []string) string {
	parts := make([]string, 0, len(values))
	for _, s := range values {
		parts = append(parts, oneLine(s))
	}
	return strings.Join(parts, ", ")
}

// orWord gives a word for an empty value.
func orWord(value, word string) string {
	if value == "" {
		return word
	}
	return value
}
