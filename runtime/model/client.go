package model

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"hardshell/tools/text"
)

// The limits that hold where Config leaves a field zero.
const (
	usualConnect   = 4 * time.Second
	usualFirstByte = 5 * time.Minute
	usualIdle      = 60 * time.Second
	usualPhase     = 2 * time.Second
	usualKeepAlive = 30 * time.Minute
)

// lookLimit bounds a question that needs no model: version, list, show, ps.
const lookLimit = 15 * time.Second

// Config is how to reach a server and how long to wait for it. The zero value
// means the default server and the default limits.
type Config struct {
	// Host is the address as in OLLAMA_HOST; see ParseHost.
	Host string
	// KeepAlive is how long the server keeps the model loaded after each
	// request: negative for ever, zero half an hour. It is the same in every
	// request of a Client, since a request with another value would change it.
	KeepAlive time.Duration
	// Connect bounds the making of a connection.
	Connect time.Duration
	// FirstByte bounds the silence before a reply begins; a model is loaded and
	// a prompt read in it.
	FirstByte time.Duration
	// Idle bounds the silence within a reply.
	Idle time.Duration
	// Phase is the silence after which a Chunk tells that the wait goes on.
	Phase time.Duration
	// Defuse takes the marks of roles out of a text. It is applied to what every
	// message but the system's says, since a server reads them as control tokens
	// wherever they stand. Nil leaves texts as they are: only for a caller whose
	// texts are all its own.
	Defuse func(string) string
	// HTTP carries the requests where it is set, for tests; its CheckRedirect
	// is not used.
	HTTP *http.Client
	// Proxy tells through which proxy a request goes; nil is as the environment says
	// (HTTP_PROXY, HTTPS_PROXY, NO_PROXY), as with Ollama's own client.
	Proxy func(*http.Request) (*url.URL, error)
}

// Client speaks to one Ollama server. It holds no connection while nothing is
// asked and may be used from several goroutines.
type Client struct {
	api    *api.Client
	base   *url.URL
	addr   string // scheme, host, port and path, for messages
	cfg    Config
	ledger *Ledger

	mu     sync.Mutex
	loaded map[string]bool // models that have answered this client
}

// New makes a client. It sends nothing; the error is an *Error with code
// BadHost.
func New(cfg Config) (*Client, error) {
	base, err := ParseHost(cfg.Host)
	if err != nil {
		return nil, err
	}
	for _, d := range []struct {
		v *time.Duration
		d time.Duration
	}{
		{&cfg.Connect, usualConnect},
		{&cfg.FirstByte, usualFirstByte},
		{&cfg.Idle, usualIdle},
		{&cfg.Phase, usualPhase},
		{&cfg.KeepAlive, usualKeepAlive},
	} {
		if *d.v == 0 {
			*d.v = d.d
		}
	}
	if cfg.Proxy == nil {
		cfg.Proxy = http.ProxyFromEnvironment // never one for loopback
	}
	c := &Client{base: base, addr: base.String(), cfg: cfg, ledger: NewLedger(), loaded: map[string]bool{}}
	next := http.RoundTripper(transport(cfg))
	if cfg.HTTP != nil && cfg.HTTP.Transport != nil {
		next = cfg.HTTP.Transport
	}
	c.api = api.NewClient(base, &http.Client{
		Transport: &recording{next: patient{next}, client: c},
		// A redirect is shown to recording, which knows that Ollama sends none.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
	return c, nil
}

// transport connects within a limit and leaves the waiting for replies to the
// limits of a stream.
func transport(cfg Config) *http.Transport {
	return &http.Transport{
		Proxy:               cfg.Proxy,
		DialContext:         (&net.Dialer{Timeout: cfg.Connect, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: cfg.Connect,
		MaxIdleConns:        2,
		IdleConnTimeout:     90 * time.Second,
	}
}

// Addr is the server's scheme, host and port, and the path before /api where there is
// one.
func (c *Client) Addr() string { return c.addr }

// answered remembers that a model is loaded.
func (c *Client) answered(model string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loaded[model] = true
}

// isLoaded reports whether a model has answered before.
func (c *Client) isLoaded(model string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loaded[model]
}

// look runs a question that needs no model, within lookLimit. The reply has to
// be a JSON object that holds one of the keys.
func (c *Client) look(ctx context.Context, model string, ask func(context.Context) error, keys ...string) error {
	t := &recorder{keys: keys}
	limited, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	err := ask(withRecorder(limited, t))
	if err == nil {
		return nil
	}
	if ctx.Err() == nil && limited.Err() != nil {
		return c.throughProxy(c.unreachable(err, "it took the connection and did not answer within "+text.Span(lookLimit)))
	}
	return c.failure(ctx, t, model, err)
}
