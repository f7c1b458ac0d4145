package main

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime"
	"hardshell/runtime/event"
)

// deaf is an agent whose turns end with their context only, whoever says stop.
type deaf struct {
	keeper
	stops chan string
	began chan struct{}
}

func (d *deaf) Turn(ctx context.Context, _ runtime.Ask, _ func(event.Event)) (event.End, error) {
	close(d.began)
	<-ctx.Done()
	return event.End{}, context.Cause(ctx)
}

func (d *deaf) Stop(_ context.Context, session string) (bool, error) {
	d.stops <- session
	return true, nil
}

func (d *deaf) Answer(context.Context, string, string, string) error { return nil }

// TestSecondCtrlCAbandonsTheTurn holds that the first interrupt asks the turn to
// stop and the second ends the chat, also when the turn does not obey.
func TestSecondCtrlCAbandonsTheTurn(t *testing.T) {
	d := &deaf{stops: make(chan string), began: make(chan struct{})}
	s := &chat{session: "s", agent: d, talk: &conversation{agent: d}, signals: make(chan os.Signal, 2)}
	s.signals <- os.Interrupt // from before the turn: means nothing
	got := make(chan error)
	go func() {
		_, err := s.interruptible(t.Context(), runtime.Ask{Text: "x"})
		got <- err
	}()
	<-d.began
	s.signals <- os.Interrupt
	if d := cmp.Diff("s", <-d.stops); d != "" {
		t.Error(d)
	}
	s.signals <- os.Interrupt
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("the chat goes on: %v", err)
	}
}
