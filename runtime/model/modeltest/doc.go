// Package modeltest is an Ollama server for tests: it answers from a script and
// keeps every request, byte for byte.
//
// It owns the wire form of Ollama's API as far as hardshell uses it: /api/chat,
// show, tags, ps, version, pull, create and generate. It refuses to be a model: what is
// not scripted is answered by three fixed rules (see Reply). It imports nothing
// of ours, so that any package's tests can use it.
//
// Two ways to reach it:
//
//	s := modeltest.New(t)        // a listener on loopback; s.URL is OLLAMA_HOST
//	s := modeltest.Fake(t)       // no listener; model.Config{HTTP: s.HTTP()}
//
// The second one works inside a testing/synctest bubble, where a socket would
// keep the clock from moving.
//
// A test scripts the next chat replies in order, and gates them with channels
// where it needs to, never with sleeps:
//
//	s.Script(
//		modeltest.Calls(modeltest.Call{Name: "read", Args: `{"path":"notes.md"}`}),
//		modeltest.Text("The supply is set to 12 V."),
//	)
//
// and reads what was sent:
//
//	s.Bodies("/api/chat") // raw bodies, oldest first
//
// Without a script a conversation is driven from its own text: a last message
// that holds TOOL:{"name":…,"args":{…}}, or a list of such objects, becomes those
// calls; a tool result is answered "done: " and the result; anything else "ok".
//
// A rendered prompt (_debug_render_only) is made by Ollama's own template engine
// where the model's template names .Messages, else it is the messages as they came.
//
// Invariants: requests are kept in the order of arrival, before they are
// answered; a reply never depends on time; a handler that waits ends when its
// request or its test does.
package modeltest
