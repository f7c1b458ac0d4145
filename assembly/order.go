package assembly

import (
	"slices"
	"strings"
)

// toolOrder is the order of the tool array. It is a table, so that neither a map
// nor the order of registration can move a byte of the prefix.
var toolOrder = []string{
	"exec", "process", "read", "write", "edit", "apply_patch",
	"gpio", "sensors", "power", "i2c", "cron",
	"memory_search", "memory_get", "sessions_spawn", "subagents",
	"session_status", "config", "serial", "update_plan",
}

// compareTools orders two tool names: by the table, unknown names after it and
// sorted.
func compareTools(a, b string) int {
	if d := toolRank(a) - toolRank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// toolRank is a name's place in the table, or the place behind it.
func toolRank(name string) int {
	if i := slices.Index(toolOrder, name); i >= 0 {
		return i
	}
	return len(toolOrder)
}
