package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"hardshell/assembly"
	"hardshell/policy"
	"hardshell/runtime/approval"
	"hardshell/runtime/event"
	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/session"
	"hardshell/runtime/store"
	"hardshell/tools"
)

// step is what the scripted model does with one request.
type step func(ctx context.Context, q model.Request, chunk func(model.Chunk)) (model.Reply, error)

// script is a model that plays steps in order and keeps every request.
type script struct {
	mu       sync.Mutex
	steps    []step
	requests []model.Request
}

// count is how many requests there were.
func (s *script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *script) Chat(ctx context.Context, q model.Request, chunk func(model.Chunk)) (model.Reply, error) {
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, q)
	var next step
	if n < len(s.steps) {
		next = s.steps[n]
	}
	s.mu.Unlock()
	if next == nil {
		return model.Reply{}, fmt.Errorf("the script has no step %d", n+1)
	}
	rep, err := next(ctx, q, chunk)
	if rep.Usage.Prompt == 0 && err == nil {
		rep.Usage.Prompt, rep.Usage.Output = len(asRead(q))/4, 3
	}
	return rep, err
}

// asRead is a request as a cache sees it: one text that only grows.
func asRead(q model.Request) string {
	b, _ := json.Marshal(q.Tools)
	out := string(b)
	for _, m := range q.Messages {
		calls, _ := json.Marshal(m.Calls)
		out += "\n<" + string(m.Role) + ">" + m.Text + string(calls)
	}
	return out
}

// say streams a text in pieces and ends.
func say(text string) step {
	return func(_ context.Context, _ model.Request, chunk func(model.Chunk)) (model.Reply, error) {
		for i := 0; i < len(text); i += 5 {
			chunk(model.Chunk{Text: text[i:min(i+5, len(text))]})
		}
		var r model.Reply
		r.Message.Text, r.DoneReason = text, "stop"
		return r, nil
	}
}

// call makes native calls: name, args, name, args, …
func call(nameArgs ...string) step {
	return func(context.Context, model.Request, func(model.Chunk)) (model.Reply, error) {
		var r model.Reply
		for i := 0; i+1 < len(nameArgs); i += 2 {
			r.Message.Calls = append(r.Message.Calls, message.Call{Name: nameArgs[i], Args: json.RawMessage(nameArgs[i+1])})
		}
		r.DoneReason = "stop"
		return r, nil
	}
}

// catalog knows one model.
type catalog struct {
	info model.Info
	err  error
}

func (c *catalog) List(context.Context) ([]model.Info, error) { return []model.Info{c.info}, c.err }

func (c *catalog) Running(context.Context) ([]model.Loaded, error) { return nil, c.err }

func (c *catalog) Show(_ context.Context, name string) (model.Info, error) {
	i := c.info
	i.Name = name
	return i, c.err
}

// bench is a set of tools that act on nothing: each is a function.
type bench struct {
	specs []tools.Spec
	does  map[string]func(args string) tools.Result
	ran   []string
	from  []tools.Origin // of each call
}

func (b *bench) Specs() []tools.Spec { return b.specs }

func (b *bench) Call(_ context.Context, from tools.Origin, c tools.Call, _ func(string)) (tools.Result, error) {
	b.from = append(b.from, from)
	do := b.does[c.Name]
	if do == nil {
		return tools.Result{Outcome: tools.Unknown, Text: "no such tool " + c.Name}, nil
	}
	b.ran = append(b.ran, c.Name+" "+string(c.Args))
	return do(string(c.Args)), nil
}

// ok is a result that worked.
func ok(text string) tools.Result {
	return tools.Result{Outcome: tools.OK, Text: text, Decision: policy.Decision{Verdict: policy.Allow, Rule: "exec.test"}}
}

// refused is a result that policy refused.
func refused(rule string) tools.Result {
	return tools.Result{Outcome: tools.Refused, Text: "refused: not allowed here", Decision: policy.Decision{Rule: rule, Reason: "not allowed here"}}
}

// files is a workspace in memory.
type files []assembly.File

func (f *files) Files() []assembly.File { return *f }

func (f *files) set(name, text string) {
	for i := range *f {
		if (*f)[i].Name == name {
			(*f)[i].Data = []byte(text)
			return
		}
	}
	*f = append(*f, assembly.File{Name: name, Data: []byte(text)})
}

// lab is an agent with a scripted model, a real store and tools on a bench.
type lab struct {
	t      *testing.T
	agent  *Agent
	model  *script
	cat    *catalog
	bench  *bench
	files  *files
	events []event.Event
}

const oneString = `{"type":"object","properties":{"argv":{"type":"array","items":{"type":"string"}},"path":{"type":"string"}},"additionalProperties":false}`

// newLab makes a lab whose model plays steps. change, when given, alters the
// agent's configuration.
func newLab(t *testing.T, change func(*Config), steps ...step) *lab {
	t.Helper()
	st, err := store.Open(t.TempDir(), store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	l := &lab{t: t, model: &script{steps: steps}, files: &files{{Name: "AGENTS.md", Data: []byte("# Lab\nBe brief.\n")}}}
	l.cat = &catalog{info: model.Info{Name: "qwen3:4b", Family: "qwen3", Capabilities: []string{"tools"}, Window: 8192}}
	l.bench = &bench{does: map[string]func(string) tools.Result{}}
	for _, name := range []string{"exec", "read", "write"} {
		l.bench.specs = append(l.bench.specs, tools.Spec{Name: name, Description: name + " it", Guide: name, Schema: json.RawMessage(oneString)})
	}
	l.bench.does["exec"] = func(string) tools.Result { return ok("exec says hi") }
	cfg := Config{
		Dir: "/lab", Limits: DefaultLimits(), ModelName: "qwen3:4b", NumCtx: 8192,
		Host:  assembly.Host{Name: "bench", Board: "sim", OS: "linux", Arch: "arm64"},
		Model: l.model, Catalog: l.cat, Tools: l.bench, Store: st.Sessions, Files: l.files,
		Approvals: newBroker(),
	}
	if change != nil {
		change(&cfg)
	}
	l.agent = New(cfg)
	return l
}

// ask runs one turn in the main session.
func (l *lab) ask(text string) event.End {
	l.t.Helper()
	return l.do(context.Background(), Ask{Text: text, Attended: true})
}

func (l *lab) do(ctx context.Context, a Ask) event.End {
	l.t.Helper()
	l.events = nil
	end := l.agent.Turn(ctx, a, func(e event.Event) { l.events = append(l.events, e) })
	l.checkEvents(end)
	return end
}

// checkEvents holds for every turn of every test: turn.end comes once and last,
// each call starts and ends once, every event carries its payload.
func (l *lab) checkEvents(end event.End) {
	l.t.Helper()
	open := map[string]bool{}
	for i, e := range l.events {
		switch e.Kind {
		case event.ToolStart:
			open[e.Tool.ID] = true
		case event.ToolEnd:
			if !open[e.Tool.ID] {
				l.t.Errorf("call %s ends without a start", e.Tool.ID)
			}
			delete(open, e.Tool.ID)
		case event.TurnEnd:
			if i != len(l.events)-1 || e.End.Status != end.Status {
				l.t.Errorf("turn.end %s at %d of %d", e.End.Status, i, len(l.events))
			}
		}
	}
	if len(l.events) == 0 || l.events[len(l.events)-1].Kind != event.TurnEnd {
		l.t.Error("no turn.end")
	}
}

// shown is the text that the person saw.
func (l *lab) shown() string {
	var b strings.Builder
	for _, e := range l.events {
		if e.Kind == event.ModelChunk {
			b.WriteString(e.Chunk.Text)
		}
	}
	return b.String()
}

// warnings are the codes of the turn's warnings.
func (l *lab) warnings() []string {
	var out []string
	for _, e := range l.events {
		if e.Kind == event.Warning {
			out = append(out, e.Notice.Code)
		}
	}
	return out
}

// kinds are the kinds of the turn's events, runs of chunks folded.
func (l *lab) kinds() string {
	var out []string
	for _, e := range l.events {
		if e.Kind == event.ModelChunk && len(out) > 0 && out[len(out)-1] == string(event.ModelChunk) {
			continue
		}
		out = append(out, string(e.Kind))
	}
	return strings.Join(out, " ")
}

// checkPrefix holds that every request begins with the one before.
func (l *lab) checkPrefix() {
	l.t.Helper()
	for i := 1; i < len(l.model.requests); i++ {
		a, b := asRead(l.model.requests[i-1]), asRead(l.model.requests[i])
		if !strings.HasPrefix(b, a) {
			l.t.Errorf("request %d does not begin with request %d:\n%s\n---\n%s", i+1, i, a, b)
		}
	}
}

func mustSession(l *lab, id string) *session.Session {
	l.t.Helper()
	s, err := l.agent.sessions.get(id)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// forgetful is a ledger that keeps nothing.
type forgetful struct{}

func (forgetful) Put(string, string, int, any) error { return nil }
func (forgetful) List(string) ([]store.Value, error) { return nil, nil }
func (forgetful) Delete(string, string) error        { return nil }

// newBroker opens a broker that no restart is tried with.
func newBroker() *approval.Broker {
	d, err := approval.Open(time.Now, forgetful{})
	if err != nil {
		panic(err)
	}
	return d
}
