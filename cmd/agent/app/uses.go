package app

import (
	"encoding/json"
	"fmt"
	"time"

	"hardshell/tools"
)

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
