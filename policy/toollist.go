package policy

import (
	"slices"
	"strings"
)

// toolNames are the tools that a policy file can speak of, in the order of the tool
// array: that is prompt bytes, and the same set of tools must give the same in every
// process. Package assembly has the same table, which test/arch checks. Tools of MCP
// servers are written "mcp.SERVER.TOOL" and not checked.
var toolNames = []string{
	"exec", "process", "read", "write", "edit", "apply_patch",
	"gpio", "sensors", "power", "i2c", "cron",
	"memory_search", "memory_get", "sessions_spawn", "subagents",
	"session_status", "config", "serial", "update_plan",
}

// ToolRank is a tool's place in the array. Tools of other names stand behind these.
func ToolRank(name string) int {
	if i := slices.Index(toolNames, name); i >= 0 {
		return i
	}
	return len(toolNames)
}

// byName are the tools that a file offers only where it writes their own names: "*"
// and groups don't mean them.
var byName = []string{"apply_patch", "serial", "update_plan"}

// toolGroups are short names for several tools.
var toolGroups = map[string][]string{
	"group:run":      {"exec", "process"},
	"group:files":    {"read", "write", "edit", "apply_patch"},
	"group:change":   {"write", "edit", "apply_patch"},
	"group:hardware": {"gpio", "sensors", "power", "i2c", "serial"},
	"group:schedule": {"cron"},
	"group:memory":   {"memory_search", "memory_get"},
	"group:agents":   {"sessions_spawn", "subagents"},
}

// toolWords are all words that a tool list may hold.
func toolWords() []string {
	words := append([]string{"*"}, toolNames...)
	for g := range toolGroups {
		words = append(words, g)
	}
	slices.Sort(words)
	return words
}

// names tells whether a tool list speaks of a tool.
func names(list []string, tool string) bool {
	return slices.ContainsFunc(list, func(w string) bool {
		return w == "*" || w == tool || slices.Contains(toolGroups[w], tool)
	})
}

// opens tells whether a list of allowed tools opens one.
func opens(list []string, tool string) bool {
	return slices.Contains(list, tool) || !slices.Contains(byName, tool) && names(list, tool)
}

// Offers tells whether the tool lists of the file, and of the profile in force,
// let a tool be offered at all. Deny wins over allow; an empty allow list offers
// nothing.
func (p *Policy) Offers(tool string) bool { return tool != "" && p.refusesTool(tool) == "" }

// refusesTool is the id of the rule that keeps a tool away, empty when none does.
func (p *Policy) refusesTool(tool string) string {
	switch {
	case names(p.toolDeny, tool):
		return "tools.deny"
	case !opens(p.toolAllow, tool):
		return "tools.allow"
	case p.narrowed != nil && names(p.narrowed.toolDeny, tool):
		return "profile." + p.narrowed.name
	}
	return ""
}

// isToolWord tells whether a word may stand in a tool list.
func isToolWord(w string) bool {
	return w == "*" || strings.HasPrefix(w, "mcp.") || slices.Contains(toolNames, w) || toolGroups[w] != nil
}
