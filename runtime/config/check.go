package config

import (
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	_ "time/tzdata" // zones must be known on a board without zone files
)

// check looks at every value of a config that was bound. at gives a problem its
// place in the file.
func (c *Config) check(at func(key, text string) Fault) []Fault {
	var out []Fault
	add := func(key, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		p := at(key, text)
		if from := c.From[key]; from != "" && !strings.HasPrefix(from, "line ") {
			p = Fault{Key: key, Text: text + " (from " + from + ")"}
		}
		out = append(out, p)
	}
	v := reflect.ValueOf(c).Elem()
	for _, f := range fieldsOf(configType, "", nil) {
		if err := f.check(v); err != nil {
			add(f.Key, "%s %s", f.Key, err)
		}
	}
	if c.Exec.Timeout > c.Exec.MaxTimeout {
		add("exec.timeout", "exec.timeout = %s is more than exec.max_timeout = %s: lower the first or raise the second", c.Exec.Timeout, c.Exec.MaxTimeout)
	}
	if c.Prompt.FileChars > c.Prompt.TotalChars {
		add("prompt.bootstrap_max_chars", "prompt.bootstrap_max_chars = %d is more than prompt.bootstrap_total_max_chars = %d: lower the first or raise the second", c.Prompt.FileChars, c.Prompt.TotalChars)
	}
	if n := c.Model.NumCtx; n > 0 && n < 2048 {
		add("model.num_ctx", "model.num_ctx = %d is too small for the prompt: write 0 to have it chosen, or at least 2048", n)
	} else if n > 0 && c.Model.NumPredict > n/2 {
		add("model.num_predict", "model.num_predict = %d is more than half of model.num_ctx = %d: lower the first or raise the second", c.Model.NumPredict, n)
	}
	if _, err := time.LoadLocation(c.Zone); err != nil || c.Zone == "Local" {
		add("zone", "zone = %q is no time zone: write an IANA name such as Europe/Berlin", c.Zone)
	}
	if c.Gateway.Listen != "" && !loopback(c.Gateway.Listen) {
		add("gateway.listen", "gateway.listen = %q is no loopback address with a port: write 127.0.0.1:8700, or [::1]:8700, and reach it from elsewhere through ssh -L", c.Gateway.Listen)
	}
	for i, s := range c.Secrets.Values {
		if len(s) < 6 {
			add("secrets.values", "secrets.values: entry %d has fewer than 6 characters, so masking it would garble ordinary text: take it out", i+1)
		}
	}
	c.checkAliases(add)
	c.checkAgents(add)
	c.checkHooks(add)
	return out
}

// checkAliases looks at the short names for models.
func (c *Config) checkAliases(add func(key, format string, args ...any)) {
	for _, name := range slices.Sorted(maps.Keys(c.Model.Aliases)) {
		key, to := "model.aliases."+name, c.Model.Aliases[name]
		switch _, again := c.Model.Aliases[to]; {
		case name == "" || !plainName(name):
			add(key, "model.aliases: %q is no name: use letters, digits, dot, dash and underscore, at most 64 of them", name)
		case name == "default":
			add(key, "model.aliases: default already means the agent's own model: choose another name")
		case to == "":
			add(key, "model.aliases: %s stands for no model: write %s = \"NAME\", as agent model list prints it", name, name)
		case again:
			add(key, "model.aliases: %s stands for the alias %s: write the model's own name", name, to)
		}
	}
}

// loopback reports whether an address has a loopback IP and a port.
func loopback(addr string) bool {
	ap, err := netip.ParseAddrPort(addr)
	return err == nil && ap.Addr().IsLoopback()
}

// plainName reports whether s can name an agent, a hook or a skill.
func plainName(s string) bool {
	return len(s) <= 64 && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
	}) < 0
}
