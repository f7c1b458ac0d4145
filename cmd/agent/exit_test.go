package main

import (
	"testing"

	"hardshell/runtime/event"
)

// A board that the config names and that is not there is the person's to correct.
func TestMissingBoardIsAMistakeOfUse(t *testing.T) {
	if p, exit := judge(event.Errorf("no_board", "name another one", "there is no %s", "board")); exit != exitUsage || p.Message != "there is no board" || p.Hint != "name another one" {
		t.Errorf("exit %d: %+v", exit, p)
	}
}
