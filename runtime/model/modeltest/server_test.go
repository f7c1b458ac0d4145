package modeltest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model/modeltest"
)

// send posts a body and gives status and reply.
func send(t *testing.T, h *http.Client, url, body string) (int, string) {
	t.Helper()
	r, err := h.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// chat is a body with one message of a role.
func chat(role, content string) string {
	return fmt.Sprintf(`{"model":"qwen3:4b","messages":[{"role":%q,"content":%q}]}`, role, content)
}

func TestServer_DefaultRules(t *testing.T) {
	tests := map[string]struct{ role, content, want string }{
		"anything":   {"user", "hello", `"content":"ok"`},
		"a call":     {"user", `please TOOL:{"name":"read","args":{"path":"a"}} now`, `"tool_calls":[{"function":{"index":0,"name":"read","arguments":{"path":"a"}}}]`},
		"two calls":  {"user", `TOOL: [{"name":"a"},{"name":"b","args":{"x":1}}]`, `"tool_calls":[{"function":{"index":0,"name":"a","arguments":{}}},{"function":{"index":1,"name":"b","arguments":{"x":1}}}]`},
		"a result":   {"tool", "12 V", `"content":"done: 12 V"`},
		"no JSON":    {"user", "TOOL:{", "is no JSON"},
		"no call":    {"user", "TOOL:7", "is no call"},
		"assistants": {"assistant", "x", `"content":"ok"`},
	}
	s := modeltest.New(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			body := chat(tt.role, tt.content)
			status, got := send(t, http.DefaultClient, s.URL+"/api/chat", body)
			if status != 200 || !strings.Contains(got, tt.want) {
				t.Errorf("%d %s, want %s", status, got, tt.want)
			}
			end := fmt.Sprintf(`"done":true,"done_reason":"stop","prompt_eval_count":%d}`+"\n", len(body)/4)
			if !strings.HasSuffix(got, end) {
				t.Errorf("%s does not end in %s", got, end)
			}
		})
	}
}

func TestServer_KeepsRequestsInOrderAndByteForByte(t *testing.T) {
	s := modeltest.Fake(t)
	bodies := []string{chat("user", "a"), ` {"model":"qwen3:4b", "messages":[]}`, "not json"}
	for _, b := range bodies {
		send(t, s.HTTP(), "http://x/api/chat", b)
	}
	if _, err := s.HTTP().Get("http://x/api/tags"); err != nil {
		t.Fatal(err)
	}
	want := []modeltest.Request{
		{Method: "POST", Path: "/api/chat", Body: []byte(bodies[0])},
		{Method: "POST", Path: "/api/chat", Body: []byte(bodies[1])},
		{Method: "POST", Path: "/api/chat", Body: []byte(bodies[2])},
		{Method: "GET", Path: "/api/tags", Body: []byte{}},
	}
	if d := cmp.Diff(want, s.Requests()); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][]byte{[]byte(bodies[0]), []byte(bodies[1]), []byte(bodies[2])}, s.Bodies("/api/chat")); d != "" {
		t.Errorf("bodies (-want +got):\n%s", d)
	}
	s.Await("/api/chat", 3) // they are there, so this returns
}

func TestServer_ScriptGoesFirstThenTheRules(t *testing.T) {
	s := modeltest.Fake(t)
	cached := 0
	s.Script(
		modeltest.Reply{
			Steps: []modeltest.Step{{Thinking: "hm"}, {Text: "a"}}, DoneReason: "length",
			Counts: modeltest.Counts{Prompt: 5, Output: 6, Cached: &cached, Total: 1, Load: 2, PromptEval: 3, Eval: 4},
		},
		modeltest.Fail(503, "busy"),
	)
	line := `{"model":"qwen3:4b","created_at":"2026-01-01T00:00:00Z","message":`
	want := line + `{"role":"assistant","content":"","thinking":"hm"},"done":false}` + "\n" +
		line + `{"role":"assistant","content":"a"},"done":false}` + "\n" +
		line + `{"role":"assistant","content":""},"done":true,"done_reason":"length","prompt_eval_count":5,"prompt_eval_cached_count":0,` +
		`"eval_count":6,"total_duration":1,"load_duration":2,"prompt_eval_duration":3,"eval_duration":4}` + "\n"
	if _, got := send(t, s.HTTP(), "http://x/api/chat", chat("user", "x")); got != want {
		t.Errorf("stream (-want +got):\n%s", cmp.Diff(want, got))
	}
	if status, got := send(t, s.HTTP(), "http://x/api/chat", chat("user", "x")); status != 503 || got != `{"error":"busy"}` {
		t.Errorf("%d %s", status, got)
	}
	if _, got := send(t, s.HTTP(), "http://x/api/chat", chat("user", "x")); !strings.Contains(got, `"content":"ok"`) {
		t.Errorf("after the script: %s", got)
	}
}

func TestServer_OtherPaths(t *testing.T) {
	s := modeltest.Fake(t)
	s.SetModels(modeltest.Model{Name: "lab:latest", Family: "llama", Size: 7, Window: 512, Capabilities: []string{"completion"}, Template: "T", Remote: "https://r"})
	s.SetVersion("9.9")
	tests := []struct {
		path, body string
		status     int
		want       []string
	}{
		{"/api/tags", "", 200, []string{`"name":"lab:latest"`, `"size":7`, `"remote_host":"https://r"`}},
		{"/api/show", `{"model":"lab"}`, 200, []string{`"llama.context_length":512`, `"capabilities":["completion"]`, `"template":"T"`}},
		{"/api/show", `{"model":"nope"}`, 404, []string{"model 'nope' not found"}},
		{"/api/chat", `{"model":"nope","messages":[{}]}`, 404, []string{"model 'nope' not found"}},
		{"/api/chat", `{"model":"lab","messages":[]}`, 200, []string{`"done_reason":"load"`}},
		{"/api/chat", `{"model":"lab","messages":[{"content":"x"}],"_debug_render_only":true}`, 200, []string{`"rendered_template":"[{\"content\":\"x\"}]"`}},
		{"/api/version", "", 200, []string{`{"version":"9.9"}`}},
		{"/api/ps", "", 200, []string{`{"models":[]}`}},
		{"/api/pull", `{"model":"lab"}`, 200, []string{`{"status":"success"}` + "\n"}},
		{"/", "", 200, []string{"Ollama is running"}},
		{"/v1/models", "", 404, []string{"404 page not found"}},
	}
	for _, tt := range tests {
		status, got := send(t, s.HTTP(), "http://x"+tt.path, tt.body)
		for _, want := range tt.want {
			if status != tt.status || !strings.Contains(got, want) {
				t.Errorf("%s %s: %d %s, want %d %s", tt.path, tt.body, status, got, tt.status, want)
			}
		}
	}
}

func TestServer_BecomeAndRestore(t *testing.T) {
	s := modeltest.New(t)
	s.Become(modeltest.Foreign(200, "text/html", "<html>"))
	if _, got := send(t, http.DefaultClient, s.URL+"/api/chat", chat("user", "x")); got != "<html>" {
		t.Errorf("as something else: %s", got)
	}
	s.Restore()
	if _, got := send(t, http.DefaultClient, s.URL+"/api/chat", chat("user", "x")); !strings.Contains(got, "ok") {
		t.Errorf("restored: %s", got)
	}
}

func TestServer_GatesStallsAndDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.Fake(t)
		gate := make(chan struct{})
		s.Script(modeltest.Stream(
			modeltest.Step{Text: "one"}, modeltest.Step{Wait: gate, Text: "two"}, modeltest.Step{Drop: true},
		), modeltest.Stream(modeltest.Step{Stall: true}))
		r, err := s.HTTP().Post("http://x/api/chat", "", strings.NewReader(chat("user", "x")))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		lines := bufio.NewScanner(r.Body)
		if !lines.Scan() || !strings.Contains(lines.Text(), "one") {
			t.Errorf("first line %q", lines.Text())
		}
		time.AfterFunc(time.Hour, func() { close(gate) })
		began := time.Now()
		if !lines.Scan() || !strings.Contains(lines.Text(), "two") || time.Since(began) != time.Hour {
			t.Errorf("second line %q after %v", lines.Text(), time.Since(began))
		}
		if lines.Scan() || lines.Err() == nil {
			t.Errorf("the dropped connection gave %q, %v", lines.Text(), lines.Err())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://x/api/chat", strings.NewReader(chat("user", "x")))
		if err != nil {
			t.Fatal(err)
		}
		stalled, err := s.HTTP().Do(q)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(stalled.Body); err == nil || len(b) != 0 {
			t.Errorf("the stalled stream gave %q, %v", b, err)
		}
		if err := stalled.Body.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestServer_AwaitWakesOnArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.Fake(t)
		time.AfterFunc(time.Minute, func() { send(t, s.HTTP(), "http://x/api/version", "") })
		began := time.Now()
		s.Await("/api/version", 1)
		if took := time.Since(began); took != time.Minute {
			t.Errorf("woke after %v", took)
		}
	})
}

func ExampleFake() {
	t := &testing.T{} // in a test, its own
	s := modeltest.Fake(t)
	s.Script(modeltest.Text("The supply is ", "at 12 V."))
	r, err := s.HTTP().Post("http://ollama/api/chat", "", strings.NewReader(`{"model":"qwen3:4b","messages":[{"role":"user","content":"?"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	fmt.Println(strings.Count(string(b), "\n"), "lines,", err)
	fmt.Println(len(s.Bodies("/api/chat")), "request")
	// Output:
	// 3 lines, <nil>
	// 1 request
}
