package model

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// defaultPort is where Ollama listens when nobody says otherwise.
const defaultPort = "11434"

// ParseHost reads a server address as Ollama's own client reads OLLAMA_HOST: the
// scheme defaults to http, the host to 127.0.0.1, the port to 11434 (80 or 443
// when a scheme is written). A trailing slash and the /v1 of an OpenAI-style base
// URL are dropped.
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

// basePath is the path below which /api lies: what a reverse proxy may put in
// front, without the /v1 of the OpenAI-style endpoints.
func basePath(path string) string {
	path = strings.Trim(path, "/")
	path = strings.Trim(strings.TrimSuffix("/"+path, "/v1"), "/")
	if path == "" {
		return ""
	}
	return "/" + path
}

// badHost is the refusal of an address.
func badHost(why, hint string) *Error {
	return &Error{Code: BadHost, Message: "the address of the model server (OLLAMA_HOST) can't be used: " + why, Hint: hint}
}
