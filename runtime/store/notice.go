package store

import (
	"slices"
	"sync"

	"hardshell/runtime/event"
)

// maxNotices bounds what is kept to be shown; later ones push the oldest out.
const maxNotices = 100

// notices is what a person should know of the store, oldest first.
type notices struct {
	mu   sync.Mutex
	list []event.Notice
}

func (n *notices) all() []event.Notice {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list)
}

// notice adds one, unless the same is listed already.
func (n *notices) notice(code, message, hint string) {
	one := event.Notice{Code: code, Message: message, Hint: hint}
	n.mu.Lock()
	defer n.mu.Unlock()
	if slices.Contains(n.list, one) {
		return
	}
	n.list = append(n.list, one)
	if len(n.list) > maxNotices {
		n.list = slices.Delete(n.list, 0, 1)
	}
}

// withdraw removes those of a code: what they say is no longer so.
func (n *notices) withdraw(code string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = slices.DeleteFunc(n.list, func(one event.Notice) bool { return one.Code == code })
}
