package model_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

// TestPagesAreNeverShownAsHTML covers every answer of something that is no Ollama: one
// line, the page's words at most.
func TestPagesAreNeverShownAsHTML(t *testing.T) {
	page := "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title><style>body{color:red}</style></head>\n<body><center><h1>502 Bad Gateway</h1></center><hr>nginx</body></html>"
	wrapped, _ := json.Marshal(map[string]string{"error": page})
	for name, r := range map[string]modeltest.Reply{
		"502":            modeltest.Foreign(502, "text/html", page),
		"504":            modeltest.Foreign(504, "text/html", page),
		"500":            modeltest.Foreign(500, "text/html", page),
		"403":            modeltest.Foreign(403, "text/html", page),
		"200":            modeltest.Foreign(200, "text/html", page),
		"200, one line":  modeltest.Foreign(200, "text/html", strings.ReplaceAll(page, "\n", "")),
		"in Ollama form": modeltest.Foreign(500, "application/json", string(wrapped)),
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Fake(t)
			s.Become(r)
			_, chat := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
			_, list := client(t, s).List(t.Context())
			for _, err := range []error{chat, list} {
				code(t, err)
				if text := err.Error(); strings.ContainsAny(text, "<>\n") || strings.Contains(text, "color:red") {
					t.Errorf("message %q", text)
				}
			}
		})
	}
}

// TestABusyServerIsAskedAgain sends a refused request again, whatever it asks for, and
// gives up after a while; a wait that the server names is kept within reason.
func TestABusyServerIsAskedAgain(t *testing.T) {
	busy := modeltest.Fail(503, "server busy, please try again.  maximum pending requests exceeded")
	for name, tt := range map[string]struct {
		script []modeltest.Reply
		took   time.Duration
		fails  string
	}{
		"once":   {[]modeltest.Reply{busy, modeltest.Text("yes")}, time.Second, ""},
		"twice":  {[]modeltest.Reply{busy, busy, modeltest.Text("yes")}, 4 * time.Second, ""},
		"always": {[]modeltest.Reply{busy, busy, busy, modeltest.Text("yes")}, 4 * time.Second, model.Busy},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := modeltest.Fake(t)
				s.Script(tt.script...)
				began := time.Now()
				rep, err := client(t, s).Chat(t.Context(), ask("x"), func(model.Chunk) {})
				if took := time.Since(began); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				switch {
				case tt.fails != "":
					if got := code(t, err); got != tt.fails {
						t.Errorf("code %s, want %s", got, tt.fails)
					}
				case err != nil || rep.Message.Text != "yes":
					t.Errorf("%q, %v", rep.Message.Text, err)
				}
				sent := s.Bodies("/api/chat")
				for _, b := range sent {
					if string(b) != string(sent[0]) {
						t.Errorf("sent %s, then %s", sent[0], b)
					}
				}
			})
		})
	}
	t.Run("a person who stops it does not wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := modeltest.Fake(t)
			s.Become(busy)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			began := time.Now()
			if _, err := client(t, s).List(ctx); err == nil || time.Since(began) > 200*time.Millisecond {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		})
	})
}

// TestAProxyInFrontOfALabHostIsNamed tells the variable and the way out wherever a
// request that went through a proxy comes to nothing, and never the proxy's password.
func TestAProxyInFrontOfALabHostIsNamed(t *testing.T) {
	proxy := func(*http.Request) (*url.URL, error) { return url.Parse("http://me:s3cret@proxy.lan:3128") }
	for name, r := range map[string]modeltest.Reply{
		"a page":      modeltest.Foreign(200, "text/html", "<html>login</html>"),
		"forbidden":   modeltest.Foreign(403, "text/html", "<html>denied</html>"),
		"bad gateway": modeltest.Foreign(502, "text/html", "<html>no route</html>"),
		"cut":         modeltest.Stream(modeltest.Step{Drop: true}),
		"unavailable": modeltest.Foreign(503, "text/html", "<html>squid</html>"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := modeltest.Fake(t)
				s.Become(r)
				_, err := client(t, s, func(c *model.Config) { c.Host, c.Proxy = "board.lan:11434", proxy }).List(t.Context())
				code(t, err)
				e := err.(*model.Error)
				if !strings.Contains(e.Message, "proxy.lan:3128") || !strings.Contains(e.Message, "HTTP_PROXY") || !strings.Contains(e.Hint, "NO_PROXY=board.lan") {
					t.Errorf("%s\n%s", e.Message, e.Hint)
				}
				if strings.Contains(e.Message+e.Hint, "s3cret") {
					t.Errorf("%s\n%s", e.Message, e.Hint)
				}
			})
		})
	}
}
