package main

import "hardshell/runtime/model"

// lanes are the ledgers of a model server, one for each model that is asked for,
// and its one lane: a board has one processor for models, so that whoever is first
// by priority goes first, whatever the model.
type lanes struct {
	lane *model.Lane
	of   map[string]*model.Ledger
	busy func() bool // a turn of any agent is under way
}

func newLanes() *lanes { return &lanes{lane: model.NewLane(), of: map[string]*model.Ledger{}} }

// ledger is that of a model by its configured name.
func (l *lanes) ledger(name string) *model.Ledger {
	if l.of[name] == nil {
		l.of[name] = model.NewLedger()
	}
	return l.of[name]
}
