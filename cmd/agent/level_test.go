package main

import (
	"testing"

	"hardshell/runtime/model/modeltest"
)

// TestTheModelSetsWhileAPersonIsThere has the model set model and reasoning in the
// turn of a person at the terminal: it is told there and holds from the next turn on.
func TestTheModelSetsWhileAPersonIsThere(t *testing.T) {
	p := newPerson(t)
	p.model.SetModels(modeltest.Model{Name: modeltest.DefaultModel}, modeltest.Model{Name: "qwen3:1.7b", Capabilities: []string{"completion", "tools", "thinking"}})
	p.begin("chat")
	p.sees("> ")
	p.types(`TOOL:{"name":"session_status","args":{"model":"qwen3:1.7b","reasoning":"stream"}}` + "\r")
	p.sees("allow by builtin.setting, ok")
	p.sees("from the next turn on: model qwen3:1.7b, think off, reasoning stream; the server reads the conversation anew once")
	p.sees("> ")
	p.model.Script(modeltest.Stream(modeltest.Step{Thinking: "hm, J7\n"}, modeltest.Step{Text: "Low."}))
	p.types("J7?\r")
	p.sees("it goes on with qwen3:1.7b")
	p.sees("~ hm, J7")
	p.sees("Low.")
	p.sees("> ")
	p.types("/quit\r")
	p.leaves(exitDone)
}
