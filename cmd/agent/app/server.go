package app

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"hardshell/runtime/model"
)

// sharedCache is the server's setting that lets slots copy each other's cache.
const sharedCache = "OLLAMA_MULTIUSER_CACHE"

// lastCrash is the newest version that is known to end its runner under sharedCache,
// at the first prompt that shares a part of another.
var lastCrash = [3]int{0, 17, 4}

// Crashes says where sharedCache is switched on for a server that can't bear it;
// empty when it is off, when the server is newer, and when nothing can be known: the
// server does not tell its settings, so only its process and its unit on this machine
// do, as far as this user may read them. A server elsewhere counts as one without.
func Crashes(ctx context.Context, host string, client *model.Client) string {
	if !local(host) {
		return ""
	}
	return this.crashes(ctx, client)
}

func (m machine) crashes(ctx context.Context, client *model.Client) string {
	where := m.sharesCache()
	if where == "" {
		return ""
	}
	v, err := client.Version(ctx)
	if err != nil || newer(v, lastCrash) {
		return ""
	}
	return where
}

// local reports whether an address is one of this machine.
func local(host string) bool {
	u, err := model.ParseHost(host)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip.IsLoopback() || ip.IsUnspecified()
}

// sharesCache names the process or the file that switches sharedCache on.
func (m machine) sharesCache() string {
	seen := false
	names, _ := filepath.Glob(filepath.Join(m.root, "proc/[0-9]*/comm")) // the pattern is right
	for _, name := range names {
		if b, err := os.ReadFile(name); err != nil || strings.TrimSpace(string(b)) != "ollama" {
			continue
		}
		dir := filepath.Dir(name)
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || len(env) == 0 {
			continue // another user's
		}
		seen = true
		for _, one := range bytes.Split(env, []byte{0}) {
			if value, ok := strings.CutPrefix(string(one), sharedCache+"="); ok && truthy(value) {
				return "the environment of process " + filepath.Base(dir)
			}
		}
	}
	if seen {
		return "" // it runs without
	}
	for _, pattern := range []string{"etc/systemd/system/ollama.service", "etc/systemd/system/ollama.service.d/*.conf"} {
		units, _ := filepath.Glob(filepath.Join(m.root, pattern)) // the patterns are right
		for _, unit := range units {
			b, err := os.ReadFile(unit)
			if found := unitSetting().FindSubmatch(b); err == nil && found != nil && truthy(string(found[1])) {
				return unit
			}
		}
	}
	return ""
}

// unitSetting is sharedCache in a unit file: Environment="NAME=1" or Environment=A=b NAME=1.
var unitSetting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*Environment=(?:.*[ \t"'])?` + sharedCache + `=([^\s"']*)`)
})

// truthy reads a switch as the server does: whatever is no false is true.
func truthy(value string) bool {
	on, err := strconv.ParseBool(strings.TrimSpace(value))
	return value != "" && (on || err != nil)
}

// newer reports whether a version is above a limit; one that can't be read is a build
// of somebody's own, and counts as newer.
func newer(version string, limit [3]int) bool {
	core, _, _ := strings.Cut(version, "-")
	parts := strings.Split(core, ".")
	for i, l := range limit {
		if i >= len(parts) {
			return false
		}
		n, err := strconv.Atoi(parts[i])
		if err != nil || n != l {
			return err != nil || n > l
		}
	}
	return false
}
