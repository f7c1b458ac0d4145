package model_test

import (
	"errors"
	"strings"
	"testing"

	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

func TestParseHost(t *testing.T) {
	tests := map[string]string{
		"":                               "http://127.0.0.1:11434",
		"   ":                            "http://127.0.0.1:11434",
		"127.0.0.1":                      "http://127.0.0.1:11434",
		"127.0.0.1:11434":                "http://127.0.0.1:11434",
		":8080":                          "http://127.0.0.1:8080",
		"board.lan":                      "http://board.lan:11434",
		"board.lan/":                     "http://board.lan:11434",
		"http://board.lan":               "http://board.lan:80",
		"https://board.lan":              "https://board.lan:443",
		"http://127.0.0.1:11434":         "http://127.0.0.1:11434",
		"http://127.0.0.1:11434/":        "http://127.0.0.1:11434",
		"http://127.0.0.1:11434/v1":      "http://127.0.0.1:11434",
		"http://127.0.0.1:11434/v1/":     "http://127.0.0.1:11434",
		"http://proxy.lan/ollama":        "http://proxy.lan:80/ollama",
		"http://proxy.lan/ollama/v1/":    "http://proxy.lan:80/ollama",
		"\"127.0.0.1:5000\"":             "http://127.0.0.1:5000",
		"[::1]:5000":                     "http://[::1]:5000",
		"::1":                            "http://[::1]:11434",
		"[::1]":                          "http://[::1]:11434",
		"0.0.0.0":                        "http://0.0.0.0:11434",
		"http://board.lan:11434/v1/v1":   "http://board.lan:11434/v1",
		"http://board.lan:11434/api-v1/": "http://board.lan:11434/api-v1",

		"http://board.lan:11434/api":                 "http://board.lan:11434",
		"http://board.lan:11434/api/":                "http://board.lan:11434",
		"board.lan/api":                              "http://board.lan:11434",
		"http://board.lan:11434/api/chat":            "http://board.lan:11434",
		"http://board.lan:11434//api//generate":      "http://board.lan:11434",
		"http://board.lan:11434/v1/chat/completions": "http://board.lan:11434",
		"http://board.lan:11434/v1/models/":          "http://board.lan:11434",
		"https://proxy.lan/ollama/api/tags":          "https://proxy.lan:443/ollama",
		"https://proxy.lan/api/ollama":               "https://proxy.lan:443/api/ollama",
		"https://proxy.lan/chat":                     "https://proxy.lan:443/chat",
	}
	for in, want := range tests {
		u, err := model.ParseHost(in)
		if err != nil || u.String() != want {
			t.Errorf("ParseHost(%q) = %v, %v, want %s", in, u, err, want)
		}
	}
}

func TestParseHost_Refusals(t *testing.T) {
	for in, want := range map[string]string{
		"http://me:s3cret@board.lan": "user name or password",
		"me:s3cret@board.lan:11434":  "user name or password",
		"ftp://board.lan":            "neither http nor https",
		"unix:///run/ollama.sock":    "neither http nor https",
		"board.lan:port":             "no port",
		"board.lan:0":                "no port",
		"board.lan:70000":            "no port",
		"http://board.lan/?key=abc":  "more than host, port and path",
		"two words":                  "more than host, port and path",
		"ollama.com":                 "cloud",
		"https://api.ollama.com/v1":  "cloud",
	} {
		_, err := model.New(model.Config{Host: in})
		var e *model.Error
		if !errors.As(err, &e) || e.Code != model.BadHost || !strings.Contains(e.Message, want) || e.Hint == "" {
			t.Errorf("New(%q): %v, want an error with %q", in, err, want)
			continue
		}
		if strings.Contains(e.Message+e.Hint, "s3cret") {
			t.Errorf("New(%q): %q repeats the credentials", in, e.Message)
		}
	}
}

func TestNew_APathBeforeTheAPIIsKept(t *testing.T) {
	s := modeltest.New(t)
	for _, tail := range []string{"", "/", "/v1", "/v1/", "/api", "/api/chat", "/v1/chat/completions"} {
		c, err := model.New(model.Config{Host: s.URL + tail})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Running(t.Context()); err != nil {
			t.Errorf("with %q: error %v", tail, err)
		}
	}
}
