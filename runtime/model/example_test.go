package model_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

func ExampleClient_Chat() {
	s := modeltest.Fake(&testing.T{}) // a server that answers from a script
	s.Script(modeltest.Text("<think>the sheet says 12</think>", "The supply is ", "at 12 V."))
	c, err := model.New(model.Config{HTTP: s.HTTP()})
	if err != nil {
		fmt.Println(err)
		return
	}
	q := model.Request{
		Model: "qwen3:4b", NumCtx: 8192, NumPredict: 256,
		Messages: []message.Message{{Role: message.User, Text: "What is the supply set to?"}},
	}
	reply, err := c.Chat(context.Background(), q, func(p model.Chunk) { fmt.Printf("text %q, thinking %q\n", p.Text, p.Thinking) })
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(reply.Message.Text, "/", reply.Message.Thinking)
	// Output:
	// text "", thinking "the sheet says 12"
	// text "The supply is ", thinking ""
	// text "at 12 V.", thinking ""
	// The supply is at 12 V. / the sheet says 12
}

func ExampleError() {
	s := modeltest.Fake(&testing.T{})
	c, err := model.New(model.Config{HTTP: s.HTTP()})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = c.Show(context.Background(), "gemma3:4b")
	var e *model.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code)
		fmt.Println(e.Message)
		fmt.Println(e.Hint)
	}
	// Output:
	// model_missing
	// model gemma3:4b is not on the server http://127.0.0.1:11434 (installed: qwen3:4b)
	// agent model pull gemma3:4b, or choose an installed one: agent model use NAME
}

func ExampleRecover() {
	fit := func(name string, args []byte) ([]byte, error) {
		if name != "gpio" {
			return nil, model.ErrNotOffered
		}
		return args, nil
	}
	r := model.Recover("<tool_call>\n{\"name\":\"gpio\",\"arguments\":{\"action\":\"read\",\"line\":\"J7\"}}\n</tool_call>", fit)
	fmt.Println(r.Calls[0].Name, string(r.Calls[0].Args))
	r = model.Recover("You could call gpio with {\"action\":\"read\"}.", fit)
	fmt.Println(r.Found)
	r = model.Recover(`{"name":"web_search","arguments":{"query":"pinout"}}`, fit)
	fmt.Println(r.Found, len(r.Calls), r.Unknown)
	// Output:
	// gpio {"action":"read","line":"J7"}
	// false
	// true 0 [web_search]
}

func ExampleBest() {
	tools := []string{"completion", "tools"}
	best, why, err := model.Best([]model.Info{
		{Name: "qwen3:8b", Size: 5_200_000_000, Capabilities: tools},
		{Name: "qwen3:4b", Size: 2_500_000_000, Capabilities: tools},
	}, 5_200_000_000)
	fmt.Println(best.Name, err)
	fmt.Println(why)
	// Output:
	// qwen3:4b <nil>
	// the biggest of 2 models that can call tools and fits into 5.2 GB of memory (it needs about 3.2 GB)
}

func ExampleNumCtx() {
	fmt.Println(model.NumCtx(model.Info{Window: 40960}, 0, 8<<30))
	fmt.Println(model.NumCtx(model.Info{Window: 2048}, 16384, 8<<30))
	// Output:
	// 8192
	// 2048
}

func ExampleLedger() {
	l := model.NewLedger()
	q := model.Request{Model: "qwen3:4b", NumCtx: 8192, NumPredict: 1, Messages: []message.Message{
		{Role: message.System, Text: "Be brief."}, {Role: message.User, Text: "Hello"},
	}}
	l.Done(l.Plan(q), model.Usage{})
	q.Messages[0].Text = "Be kind."
	p := l.Plan(q)
	fmt.Println(p.Common, "bytes are held; the first other one lies in", p.Part)
	// Output:
	// 3 bytes are held; the first other one lies in system
}

func ExampleLane() {
	lane := model.NewLane()
	release, err := lane.Acquire(context.Background(), model.Person, "main")
	if err != nil {
		fmt.Println(err)
		return
	}
	label, busy := lane.Busy()
	fmt.Println(label, busy, lane.Queue())
	release()
	_, busy = lane.Busy()
	fmt.Println(busy)
	// Output:
	// main true []
	// false
}

func ExampleParseHost() {
	u, err := model.ParseHost("http://board.lan:11434/v1/")
	fmt.Println(u, err)
	// Output: http://board.lan:11434 <nil>
}
