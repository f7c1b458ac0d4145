package tools

import (
	"cmp"
	"slices"
)

// order is the order of the tool array. It is a table because the array is prompt
// bytes: the same set of tools must give the same bytes in every process. Package
// assembly has the same one, which test/arch checks.
var order = []string{
	"exec", "process", "read", "write", "edit", "apply_patch",
	"gpio", "sensors", "power", "i2c", "cron",
	"memory_search", "memory_get", "sessions_spawn", "subagents",
	"session_status", "config", "serial", "update_plan",
}

// rank is a tool's place in the array. Tools that the table does not know stand
// behind it, sorted by name.
func rank(name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// inOrder sorts tools for the array.
func inOrder(ts []Tool) []Tool {
	out := slices.Clone(ts)
	slices.SortStableFunc(out, func(a, b Tool) int {
		x, y := a.Spec().Name, b.Spec().Name
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x, y))
	})
	return out
}
