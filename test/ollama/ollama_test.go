package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"
)

func TestParseSlot(t *testing.T) {
	const line = `time=2026-04-12T22:00:00.000Z level=DEBUG source=cache.go:104 msg="loading cache slot" id=0 cache=3725 prompt=3775 used=3727 remaining=48`
	got, ok := parseSlot(line)
	if want := (Slot{ID: 0, Cache: 3725, Prompt: 3775, Used: 3727, Remaining: 48}); !ok || got != want {
		t.Errorf("parseSlot gives %+v, %v; want %+v", got, ok, want)
	}
	for _, line := range []string{
		"",
		`msg="loading cache slot" id=0 cache=1 prompt=2 used=x remaining=2`,
		`msg="loading cache slot" id=99999999999999999999 cache=1 prompt=2 used=1 remaining=1`,
		`msg="context limit hit" id=0`,
	} {
		if got, ok := parseSlot(line); ok {
			t.Errorf("parseSlot takes %q for %+v", line, got)
		}
	}
}

func TestSlotsReadsLongLines(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	text := "prompt: " + strings.Repeat("x", 1<<20) + "\n" + `msg="loading cache slot" id=1 cache=0 prompt=9 used=0 remaining=9` + "\n"
	if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := (&Server{Log: log}).Slots()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Slot{{ID: 1, Prompt: 9, Remaining: 9}}, got); diff != "" {
		t.Errorf("slots (-want +got):\n%s", diff)
	}
	if _, err := (&Server{Log: log + ".missing"}).Slots(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing log gives %v", err)
	}
}

// A server of ours gets no setting of the person's own server, and never that
// person's home.
func TestEnvironment(t *testing.T) {
	got := environment([]string{"PATH=/bin", "OLLAMA_HOST=x", "HOME=/home/mara", "OLLAMA_MODELS=y", "HTTP_PROXY=z"}, "/lab")
	if diff := cmp.Diff([]string{"HOME=/lab", "PATH=/bin", "HTTP_PROXY=z"}, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestHostURL(t *testing.T) {
	for host, want := range map[string]string{
		"":                             "http://127.0.0.1:11434",
		"board":                        "http://board:11434",
		"board:8080":                   "http://board:8080",
		":8080":                        "http://127.0.0.1:8080",
		"0.0.0.0":                      "http://127.0.0.1:11434",
		"0.0.0.0:11435":                "http://127.0.0.1:11435",
		"http://board":                 "http://board:11434",
		"https://board/v1":             "https://board:443",
		"http://127.0.0.1:11434/v1/":   "http://127.0.0.1:11434",
		"http://[::1]":                 "http://[::1]:11434",
		"http://[::1]:11435/somewhere": "http://[::1]:11435",
	} {
		if got := HostURL(host); got != want {
			t.Errorf("HostURL(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	got := Values("OLLAMA_PROGRAM=/opt/my\\ folder/ollama\nno pair\nEMPTY=\n")
	if diff := cmp.Diff(map[string]string{"OLLAMA_PROGRAM": "/opt/my folder/ollama", "EMPTY": ""}, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// server answers like a model server with these models (name to capabilities,
// the size in bytes after a colon) and fails the test on any request that
// changes something.
func server(t *testing.T, models ...api.ListModelResponse) string {
	can := map[string][]string{"talks": {"completion"}, "calls": {"completion", "tools"}, "calls-big": {"completion", "tools"}, Scripted: {"tools"}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, api.ListResponse{Models: models})
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var req api.ShowRequest
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		writeJSON(w, map[string]any{"capabilities": can[req.Model]})
	})
	mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s: a server that was there before may only be asked", r.Method, r.URL)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func writeJSON(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func TestFind(t *testing.T) {
	model := func(name string, size int64) api.ListModelResponse {
		return api.ListModelResponse{Name: name, Model: name, Size: size}
	}
	for _, c := range []struct {
		name   string
		models []api.ListModelResponse
		want   string
		err    error
	}{
		{"none", nil, "", errNoTools},
		{"one that only talks", []api.ListModelResponse{model("talks", 1)}, "", errNoTools},
		{"the smallest that calls", []api.ListModelResponse{model("calls-big", 9), model("talks", 1), model("calls", 5)}, "calls", nil},
		{"not one of ours", []api.ListModelResponse{model(Scripted, 1)}, "", errNoTools},
	} {
		t.Run(c.name, func(t *testing.T) {
			host := server(t, c.models...)
			got, err := Find(t.Context(), host)
			want := Found{Host: host, Model: c.want}
			if c.err != nil {
				want = Found{}
			}
			if got != want || !errors.Is(err, c.err) {
				t.Errorf("Find gives %+v, %v; want %+v, %v", got, err, want, c.err)
			}
		})
	}
	if _, err := Find(t.Context(), "http://127.0.0.1:1"); err == nil {
		t.Error("Find found a server where nobody listens")
	}
}

func TestPullTellsAndFails(t *testing.T) {
	var frames string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, frames) }))
	defer s.Close()
	var told []string
	tell := func(status string, done, total int64) { told = append(told, fmt.Sprint(status, " ", done, "/", total)) }

	frames = `{"status":"pulling manifest"}` + "\n" + `{"status":"pulling abc","completed":5,"total":9}` + "\n" + `{"status":"success"}` + "\n"
	if err := (&Server{Host: s.URL}).Pull(t.Context(), "m", tell); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"pulling manifest 0/0", "pulling abc 5/9", "success 0/0"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	frames = `{"error":"no such host"}` + "\n"
	if err := (&Server{Host: s.URL}).Pull(t.Context(), "m", tell); err == nil || err.Error() != "no such host" {
		t.Errorf("Pull gives %v, want the server's own words", err)
	}
}

// A note of a server that is gone, or whose number another program has now, is
// not used: nothing of it is ever signalled.
func TestSavedIsNotTrusted(t *testing.T) {
	dir := t.TempDir()
	if _, ok := Saved(t.Context(), dir); ok {
		t.Error("Saved found a server in an empty folder")
	}
	other := exec.Command("sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	for _, s := range []*Server{
		{Host: "http://127.0.0.1:1", PID: other.Process.Pid},
		{Host: "http://127.0.0.1:1", PID: 1},
		{Host: "http://127.0.0.1:1", PID: 0},
	} {
		if err := s.Save(dir); err != nil {
			t.Fatal(err)
		}
		if _, ok := Saved(t.Context(), dir); ok {
			t.Errorf("Saved trusts %+v", *s)
		}
	}
	for range 2 {
		if err := Forget(dir); err != nil {
			t.Error(err)
		}
	}
}

func TestStartSaysWhatIsWrong(t *testing.T) {
	if _, err := Start(t.Context(), Options{Program: "/missing", Dir: t.TempDir()}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing program gives %v", err)
	}
	dir := t.TempDir()
	_, err := Start(t.Context(), Options{Program: "/bin/true", Dir: dir})
	if err == nil || !strings.HasPrefix(err.Error(), "the server ended at once; its log is "+dir) {
		t.Errorf("a program that ends gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Options{Program: "/bin/cat", Dir: dir}); err == nil {
		t.Error("Start went on in a context that is done")
	}
}

func TestPruneKeepsFreshLogs(t *testing.T) {
	dir := t.TempDir()
	noon := time.Date(2026, 4, 12, 12, 0, 0, 0, time.UTC)
	for name, age := range map[string]time.Duration{"server-1.log": -time.Hour, "server-2.log": time.Hour, "other.log": -time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, noon.Add(age), noon.Add(age)); err != nil {
			t.Fatal(err)
		}
	}
	prune(dir, noon)
	var left []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{"other.log", "server-2.log"}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}
