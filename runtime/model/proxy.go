package model

import (
	"fmt"
	"net/http"
)

// throughProxy is a failure that also names the proxy between us and the server, and
// what takes it away; unchanged where there is none. Of the proxy's address only the
// host is told, since it may hold a password.
func (c *Client) throughProxy(e *Error) *Error {
	via, err := c.cfg.Proxy(&http.Request{URL: c.base})
	if err != nil || via == nil || via.Host == "" {
		return e
	}
	name := "HTTP_PROXY"
	if c.base.Scheme == "https" {
		name = "HTTPS_PROXY"
	}
	out := *e
	out.Message += fmt.Sprintf(" (asked through the proxy %s, since %s is set)", quoted(via.Host), name)
	out.Hint = fmt.Sprintf("a server in the lab needs no proxy: set NO_PROXY=%s where the agent is started, or unset %s; else %s", quoted(c.base.Hostname()), name, e.Hint)
	return &out
}
