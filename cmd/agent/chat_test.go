package main

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"

	"hardshell/runtime"
	"hardshell/runtime/event"
)

// deaf is an agent whose turns end with their context only, whoever says stop.
type deaf struct {
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
// stop and the second ends the chat, also when the turn does not obey. One from
// before the turn means nothing.
func TestSecondCtrlCAbandonsTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deaf{stops: make(chan string, 2), began: make(chan struct{})}
		s := &chat{session: "s", talk: &conversation{agent: d}, signals: make(chan os.Signal, 2)}
		s.signals <- os.Interrupt
		var got error
		ended := false
		go func() {
			_, got = s.interruptible(t.Context(), runtime.Ask{Text: "x"})
			ended = true
		}()
		<-d.began
		s.signals <- os.Interrupt
		synctest.Wait()
		if len(d.stops) != 1 || ended {
			t.Fatalf("after the first: %d stops, ended %v", len(d.stops), ended)
		}
		s.signals <- os.Interrupt
		synctest.Wait()
		if !ended || !errors.Is(got, context.Canceled) {
			t.Errorf("after the second: ended %v, %v", ended, got)
		}
	})
}
