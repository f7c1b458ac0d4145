package model_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/message"
	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

// closedPort is a loopback address where nothing listens, nor can while the test runs:
// a port that is only free may be another program's in the next moment.
func closedPort(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
}

func TestCase037_ServerDownSaysWhereAndHowToStartIt(t *testing.T) {
	addr := closedPort(t)
	asks := map[string]func(ctx context.Context, c *model.Client) error{
		"chat": func(ctx context.Context, c *model.Client) error {
			_, err := c.Chat(ctx, ask("x"), func(model.Chunk) {})
			return err
		},
		"list": func(ctx context.Context, c *model.Client) error { _, err := c.List(ctx); return err },
		"show": func(ctx context.Context, c *model.Client) error { _, err := c.Show(ctx, "m"); return err },
		"pull": func(ctx context.Context, c *model.Client) error {
			return c.Pull(ctx, "m", func(string, int64, int64) {})
		},
	}
	for name, f := range asks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // only what the client waits for takes time in it
				c, err := model.New(model.Config{Host: addr})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				err = f(t.Context(), c)
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("took %v, want at most 5 s", took)
				}
				if got := code(t, err); got != model.Unreachable {
					t.Fatalf("code %s (%v), want %s", got, err, model.Unreachable)
				}
				e := err.(*model.Error)
				for _, want := range []string{addr, "not reachable"} {
					if !strings.Contains(e.Message, want) {
						t.Errorf("message %q lacks %q", e.Message, want)
					}
				}
				for _, want := range []string{"ollama serve", "systemctl start ollama"} {
					if !strings.Contains(e.Hint, want) {
						t.Errorf("hint %q lacks %q", e.Hint, want)
					}
				}
			})
		})
	}
}

func TestCase037_AHostThatDoesNotExist(t *testing.T) {
	c, err := model.New(model.Config{Host: "no-such-host.invalid"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // only a broken client takes it
	defer cancel()
	if _, err := c.Running(ctx); code(t, err) != model.Unreachable {
		t.Errorf("error %v, want unreachable", err)
	}
}

func TestCase037_AServerThatTakesTheConnectionAndSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.Fake(t)
		s.Become(modeltest.Stream(modeltest.Step{Stall: true}))
		began := time.Now()
		_, err := client(t, s).Running(t.Context())
		if got := code(t, err); got != model.Unreachable {
			t.Errorf("code %s (%v)", got, err)
		}
		if took := time.Since(began); took != 15*time.Second {
			t.Errorf("took %v, want 15 s", took)
		}
	})
}

func TestCase196_MissingModelNamesItAndWhatIsInstalledAndNeverDownloads(t *testing.T) {
	tests := map[string]struct {
		models []modeltest.Model
		want   string
	}{
		"some": {[]modeltest.Model{{Name: "qwen3:4b"}, {Name: "llama3.2:3b"}}, "installed: llama3.2:3b, qwen3:4b"},
		"none": {nil, "no model is installed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Fake(t)
			s.SetModels(tt.models...)
			c := client(t, s)
			q := ask("hi")
			q.Model = "gemma3:4b"
			_, chat := c.Chat(t.Context(), q, func(model.Chunk) {})
			_, show := c.Show(t.Context(), q.Model)
			for _, err := range []error{chat, show} {
				if got := code(t, err); got != model.ModelMissing {
					t.Fatalf("code %s (%v)", got, err)
				}
				e := err.(*model.Error)
				if !strings.Contains(e.Message, "gemma3:4b") || !strings.Contains(e.Message, tt.want) {
					t.Errorf("message %q, want the name and %q", e.Message, tt.want)
				}
				if !strings.Contains(e.Hint, "agent model pull gemma3:4b") {
					t.Errorf("hint %q lacks the pull command", e.Hint)
				}
			}
			if n := len(s.Bodies("/api/pull")); n != 0 {
				t.Errorf("%d downloads were tried", n)
			}
		})
	}
}

func TestCase038_AModelThatComesLaterWorksWithTheSameClient(t *testing.T) {
	s := modeltest.Fake(t)
	s.SetModels()
	c := client(t, s)
	if _, err := c.Chat(t.Context(), ask("x"), func(model.Chunk) {}); code(t, err) != model.ModelMissing {
		t.Fatalf("error %v", err)
	}
	s.SetModels(modeltest.Model{Name: modeltest.DefaultModel})
	if rep, err := c.Chat(t.Context(), ask("x"), func(model.Chunk) {}); err != nil || rep.Message.Text != "ok" {
		t.Errorf("reply %+v, error %v", rep, err)
	}
}

func TestChat_ServersThatAreSomethingElse(t *testing.T) {
	page := "<!DOCTYPE html><html><title>Router</title></html>"
	tests := map[string]modeltest.Reply{
		"a page":                   modeltest.Foreign(200, "text/html", page),
		"a page that is not found": modeltest.Foreign(404, "text/html", page),
		"plain text":               modeltest.Foreign(200, "text/plain", "hello"),
		"other JSON":               modeltest.Foreign(200, "application/json", `{"status":"up"}`),
		"a JSON list":              modeltest.Foreign(200, "application/json", `[]`),
		"another API's error":      modeltest.Foreign(404, "application/json", `{"detail":"Not Found"}`),
		"an error object":          modeltest.Foreign(400, "application/json", `{"error":{"message":"no"}}`),
		"a redirect":               {Status: 302, Location: "http://192.0.2.1/login", Body: "moved"},
		"a redirect that looks right": {
			Status: 307, Location: "http://192.0.2.1/", Body: `{"version":"1","models":[],"details":{},"message":{"content":"hi"},"done":true}`,
		},
	}
	for name, reply := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t)
			s.Become(reply)
			c := client(t, s)
			_, chat := c.Chat(t.Context(), ask("x"), func(model.Chunk) {})
			_, list := c.List(t.Context())
			_, show := c.Show(t.Context(), "m")
			_, running := c.Running(t.Context())
			for what, err := range map[string]error{"chat": chat, "list": list, "show": show, "running": running} {
				if got := code(t, err); got != model.NotOllama {
					t.Errorf("%s: code %s (%v), want %s", what, got, err, model.NotOllama)
				}
				if !strings.Contains(err.Error(), s.URL) {
					t.Errorf("%s: %q does not name the address", what, err)
				}
			}
		})
	}
}

func TestChat_NoRedirectIsFollowed(t *testing.T) {
	other := modeltest.New(t)
	s := modeltest.New(t)
	s.Become(modeltest.Reply{Status: 307, Location: other.URL + "/api/chat", Body: "moved"})
	_, err := client(t, s).Chat(t.Context(), ask("a private question"), func(model.Chunk) {})
	if got := code(t, err); got != model.NotOllama {
		t.Errorf("code %s (%v), want %s", got, err, model.NotOllama)
	}
	if n := len(other.Requests()); n != 0 {
		t.Errorf("%d requests went to where the redirect pointed", n)
	}
}

func TestChat_StatusCodesAndTexts(t *testing.T) {
	tests := []struct {
		status int
		text   string
		code   string
	}{
		{400, "the input length exceeds the context length", model.Overflow},
		{500, "the input length exceeds the context length", model.Overflow},
		{500, "model requires more system memory (6.1 GiB) than is available (3.2 GiB)", model.OutOfMemory},
		{500, "llama runner process has terminated: exit status 2 CUDA error: out of memory", model.OutOfMemory},
		{500, "model runner has unexpectedly stopped, this may be due to resource limitations", model.OutOfMemory},
		{503, "server busy, please try again.  maximum pending requests exceeded", model.Busy},
		{503, "", model.Busy},
		{503, "model requires more system memory", model.OutOfMemory},
		{400, `"qwen3:4b" does not support tools`, model.NoTools},
		{500, "error parsing tool call: raw='{\"a', err=unexpected end of JSON input", model.BadCall},
		{500, "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]", model.BadCall},
		{500, "The model produced output that does not match the expected peg-native format", model.BadCall},
		{401, "unauthorized", model.Server},
		{500, "something new", model.Server},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d %s", tt.status, tt.text), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // a busy server is asked again after a while
				s := modeltest.Fake(t)
				s.Become(modeltest.Fail(tt.status, tt.text))
				_, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
				if got := code(t, err); got != tt.code {
					t.Errorf("code %s (%v), want %s", got, err, tt.code)
				}
			})
		})
	}
}

func TestChat_BehindAProxyThatIsDown(t *testing.T) {
	s := modeltest.Fake(t)
	s.Become(modeltest.Foreign(502, "text/html", "<html>Bad Gateway</html>"))
	_, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
	if got := code(t, err); got != model.Server {
		t.Errorf("code %s (%v), want %s", got, err, model.Server)
	}
}

func TestChat_AServersTextCannotPaintOnTheTerminal(t *testing.T) {
	s := modeltest.Fake(t)
	s.Script(modeltest.Fail(500, "\x1b[2Jpolicy: allowed\u202e\n"+strings.Repeat("long ", 200)))
	_, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
	if strings.ContainsAny(err.Error(), "\x1b\n\u202e") || len(err.Error()) > 400 {
		t.Errorf("message %q", err)
	}
}

func TestChat_RequestsThatAreNeverSent(t *testing.T) {
	tests := map[string]func(*model.Request){
		"no model":         func(q *model.Request) { q.Model = "" },
		"no window":        func(q *model.Request) { q.NumCtx = 0 },
		"no reply limit":   func(q *model.Request) { q.NumPredict = 0 },
		"endless reply":    func(q *model.Request) { q.NumPredict = -1 },
		"no message":       func(q *model.Request) { q.Messages = nil },
		"broken schema":    func(q *model.Request) { q.Tools = []message.Offer{{Name: "x", Schema: []byte(`{"type":`)}} },
		"schema of a text": func(q *model.Request) { q.Tools = []message.Offer{{Name: "x", Schema: []byte(`{"type":"string"}`)}} },
		"broken arguments": func(q *model.Request) {
			q.Messages = append(q.Messages, message.Message{Role: message.Assistant, Calls: []message.Call{{Name: "x", Args: []byte("[1]")}}})
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Fake(t)
			q := ask("x")
			spoil(&q)
			_, err := client(t, s).Chat(t.Context(), q, func(model.Chunk) {})
			if got := code(t, err); got != model.BadRequest {
				t.Errorf("code %s (%v), want %s", got, err, model.BadRequest)
			}
			if d := cmp.Diff([]modeltest.Request(nil), s.Requests()); d != "" {
				t.Errorf("requests (-want +got):\n%s", d)
			}
		})
	}
}
