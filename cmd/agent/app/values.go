package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"hardshell/runtime/store"
	"hardshell/tools"
)

// values keeps small records by namespace and key.
type values interface {
	Put(namespace, key string, version int, v any) error
	Get(namespace, key string) (store.Value, bool, error)
	List(namespace string) ([]store.Value, error)
	Delete(namespace, key string) error
}

var _ values = (*store.Values)(nil)

// scratch is the values of a store that is only looked at: what is put there stays in
// memory and ends with the process.
type scratch struct {
	kept values

	mu  sync.Mutex
	own map[string]map[string]*store.Value // by namespace and key; nil: deleted
}

var _ values = (*scratch)(nil)

func newScratch(kept values) *scratch {
	return &scratch{kept: kept, own: map[string]map[string]*store.Value{}}
}

// Put keeps a record in memory.
func (s *scratch) Put(namespace, key string, version int, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.set(namespace, key, &store.Value{Key: key, Version: version, Data: data})
	return nil
}

// Delete forgets a record in memory.
func (s *scratch) Delete(namespace, key string) error {
	s.set(namespace, key, nil)
	return nil
}

func (s *scratch) set(namespace, key string, v *store.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own[namespace] == nil {
		s.own[namespace] = map[string]*store.Value{}
	}
	s.own[namespace][key] = v
}

// Get gives a record, as it was put here or is kept.
func (s *scratch) Get(namespace, key string) (store.Value, bool, error) {
	s.mu.Lock()
	v, own := s.own[namespace][key]
	s.mu.Unlock()
	switch {
	case own && v == nil:
		return store.Value{}, false, nil
	case own:
		return *v, true, nil
	}
	return s.kept.Get(namespace, key)
}

// List gives the records of a namespace by key.
func (s *scratch) List(namespace string) ([]store.Value, error) {
	list, err := s.kept.List(namespace)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]store.Value{}
	for _, v := range list {
		all[v.Key] = v
	}
	for key, v := range s.own[namespace] {
		if delete(all, key); v != nil {
			all[key] = *v
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b store.Value) int { return strings.Compare(a.Key, b.Key) }), nil
}

// usesIn keeps the uses of rules with a rate in the store.
type usesIn struct{ values values }

var _ tools.UsesLedger = usesIn{}

// Where the store keeps them, by rule, and the version of their form.
const (
	nsUses  = "rule-uses"
	usesFmt = 1
)

// Uses gives what was kept.
func (u usesIn) Uses() (map[string]json.RawMessage, error) {
	kept, err := u.values.List(nsUses)
	if err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{}
	for _, v := range kept {
		if v.Version != usesFmt {
			return nil, fmt.Errorf("the uses of %s have the format %d, known is %d: start the program that wrote them", v.Key, v.Version, usesFmt)
		}
		out[v.Key] = v.Data
	}
	return out, nil
}

// KeepUses keeps the uses of one rule.
func (u usesIn) KeepUses(rule string, at []time.Time) error {
	return u.values.Put(nsUses, rule, usesFmt, at)
}
