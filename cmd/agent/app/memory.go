package app

import (
	"context"
	goruntime "runtime"
	"runtime/debug"
	"time"
)

// How often memory that nobody uses is looked for, and how much of it is worth giving back.
const (
	memoryLook   = 5 * time.Second
	memoryUnused = 4 << 20 // bytes
)

// giveBack gives unused memory to the model: at once, since a start does not collect, and
// later whenever turns have left some.
func giveBack(ctx context.Context) {
	debug.FreeOSMemory()
	var lived uint64 // bytes that were in use after the last look that gave back
	look := time.NewTicker(memoryLook)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		if m.HeapIdle-m.HeapReleased > memoryUnused || m.HeapAlloc > lived+memoryUnused {
			debug.FreeOSMemory()
			goruntime.ReadMemStats(&m)
			lived = m.HeapAlloc
		}
	}
}
