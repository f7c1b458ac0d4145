package assembly

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOrder(t *testing.T) {
	got := []string{"zebra", "session_status", "gpio", "alpha", "update_plan", "read", "serial", "exec", "config", "process"}
	want := []string{"exec", "process", "read", "gpio", "session_status", "config", "serial", "update_plan", "alpha", "zebra"}
	slices.SortStableFunc(got, compareTools)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	table := []string{"exec", "process", "read", "write", "edit", "apply_patch", "gpio", "sensors", "power", "i2c", "cron", "memory_search", "memory_get", "sessions_spawn", "subagents", "session_status", "config", "serial", "update_plan"}
	if d := cmp.Diff(table, toolOrder); d != "" {
		t.Error(d)
	}
}
