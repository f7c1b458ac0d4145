package warm

import "testing"

func TestAnotherWindowIsAnotherRunner(t *testing.T) {
	k := &Keeper{runner: runner{Slots: Slots{Count: 2}, model: "m", numCtx: 8192, tries: 1}}
	if k.unseeded(Conversation{Model: "m", NumCtx: 8192}) || !k.unseeded(Conversation{Model: "m", NumCtx: 4096}) {
		t.Error("another window is another runner")
	}
}
