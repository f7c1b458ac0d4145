package model

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// defaultPort is where Ollama listens when nobody says otherwise.
const defaultPort = "11434"

// ParseHost reads a server address as Ollama's own client reads OLLAMA_HOST: the
// scheme defaults to http, the host to 127.0.0.1, the port to 11434 (80 or 443
// when a scheme is written). A trailing slash is dropped, and so is the path of an
// endpoint that people copy: /api, /api/chat, /v1, /v1/chat/completions.
//
// Where Ollama silently falls back to a default, this refuses: a port that is no
// port, a scheme that isn't HTTP. It also refuses credentials in the address,
// which Ollama can't use and which would end up in errors and logs, and Ollama's
// cloud host. An error never repeats the credentials.
func ParseHost(s string) (*url.URL, error) {
	s = strings.Trim(strings.TrimSpace(s), "\"'")
	if strings.Contains(s, "@") {
		return nil, badHost("it holds a user name or password, which Ollama does not use", "write it as http://HOST:PORT")
	}
	scheme, rest, ok := strings.Cut(s, "://")
	port := defaultPort
	switch {
	case !ok:
		scheme, rest = "http", s
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return nil, badHost(fmt.Sprintf("its scheme %q is neither http nor https", quoted(scheme)), "write it as http://HOST:PORT")
	}
	if strings.ContainsAny(rest, "?# \t\r\n\\") {
		return nil, badHost(fmt.Sprintf("%q holds more than host, port and path", quoted(rest)), "write it as http://HOST:PORT")
	}
	hostport, path, _ := strings.Cut(rest, "/")
	host, given, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	} else {
		port = given
	}
	host = strings.Trim(host, "[]")
	if host == "" && (err != nil || given != "") {
		host = "127.0.0.1"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, badHost(fmt.Sprintf("%q is no port", quoted(port)), "a port is a number from 1 to 65535; Ollama's is 11434")
	}
	if strings.EqualFold(host, "ollama.com") || strings.HasSuffix(strings.ToLower(host), ".ollama.com") {
		return nil, badHost("ollama.com is a cloud service", "hardshell talks to a server on this machine or in the lab only")
	}
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: basePath(path)}, nil
}

// endpoints are the words that stand below /api and /v1 in Ollama's own addresses.
var endpoints = []string{
	"chat", "completions", "generate", "responses", "messages", "embed", "embeddings", "models", "tags", "show", "ps", "version",
}

// basePath is the path below which /api lies: what a reverse proxy may put in
// front, without the endpoint at its end.
func basePath(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	for i, p := range slices.Backward(parts) {
		if p == "api" || p == "v1" {
			parts = parts[:i]
			break
		}
		if !slices.Contains(endpoints, p) {
			break
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "/" + strings.Join(parts, "/")
}

// badHost is the refusal of an address.
func badHost(why, hint string) *Error {
	return &Error{Code: BadHost, Message: "the address of the model server (OLLAMA_HOST) can't be used: " + why, Hint: hint}
}
