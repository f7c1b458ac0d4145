package assembly

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOrder(t *testing.T) {
	in := []string{"zebra", "session_status", "gpio", "alpha", "update_plan", "read", "serial", "exec", "config", "process"}
	was := append([]string(nil), in...)
	want := []string{"exec", "process", "read", "gpio", "session_status", "config", "serial", "update_plan", "alpha", "zebra"}
	if d := cmp.Diff(want, Order(in)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(was, in); d != "" {
		t.Errorf("the argument was changed: %s", d)
	}
	table := []string{"exec", "process", "read", "write", "edit", "apply_patch", "gpio", "sensors", "power", "i2c", "cron", "memory_search", "memory_get", "sessions_spawn", "subagents", "session_status", "config", "serial", "update_plan"}
	if d := cmp.Diff(table, toolOrder); d != "" {
		t.Error(d)
	}
	if got := Order(nil); len(got) != 0 {
		t.Errorf("Order(nil) = %v", got)
	}
}
