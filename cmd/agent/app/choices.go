package app

import (
	"encoding/json"

	"hardshell/runtime/config"
	"hardshell/runtime/model"
)

// choicesIn keeps in the store which model and window were settled on, so that every
// process of a board takes the same ones.
type choicesIn struct{ values values }

var _ model.Choices = choicesIn{}

// Where the store keeps them, by server and asked name, and the version of their form.
const (
	nsChoices  = "model-choices"
	choicesFmt = 1
)

// Settled gives what was kept. What can't be read is chosen anew.
func (c choicesIn) Settled(key string) (s model.Settled, ok bool) {
	v, ok, err := c.values.Get(nsChoices, key)
	if err != nil || !ok || v.Version != choicesFmt || json.Unmarshal(v.Data, &s) != nil {
		return model.Settled{}, false
	}
	return s, true
}

// Settle keeps a choice.
func (c choicesIn) Settle(key string, s model.Settled) error {
	return c.values.Put(nsChoices, key, choicesFmt, s)
}

// Chooser settles on a model as an agent does, and keeps nothing of it.
func Chooser(cfg config.Config, client *model.Client) model.Chooser {
	return model.Chooser{Server: client.Addr(), Catalog: client, Memory: Memory, NumCtx: cfg.Model.NumCtx}
}

// serverOf is the address of the model server as the client has it.
func serverOf(cfg config.Config) string {
	u, err := model.ParseHost(cfg.Model.Host)
	if err != nil {
		return "" // NewModel has said so
	}
	return u.String()
}
