package command

import (
	"context"
	"testing"

	"hardshell/tools/toolstest"
)

// A turn that ends while it waits for the end says nothing of one.
func TestKillInATurnThatEnds(t *testing.T) {
	y := newYard(t)
	y.begin(t, "p1")
	first, err := y.keeper.find(toolstest.Person, "p1")
	if err != nil {
		t.Fatal(err)
	}
	deaf := &background{keeper: y.keeper, rec: ProcessRecord{ID: "p1"}, handed: true, stop: func(error) {}, done: make(chan struct{}), out: first.out}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errTurnOver)
	out, err := processCall{t: NewProcessTool(y.keeper), proc: deaf}.kill(ctx)
	if err == nil || err.Error() != "p1 was told to end and has not ended yet: the turn was interrupted" {
		t.Errorf("%+v, %v", out, err)
	}
}
