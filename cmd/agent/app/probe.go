package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"hardshell/runtime/config"
	"hardshell/sandbox"
)

// probed is what a probe of the sandbox found, and of what.
type probed struct {
	Of     string         `json:"of"`
	Report sandbox.Report `json:"report"`
}

// Where the store keeps it, and the version of its form.
const (
	nsProbed  = "sandbox-probe"
	probedFmt = 2
)

// probe tells what the sandbox can enforce here. A probe starts the program twice, as
// long as the rest of a start takes, so one that found every layer is kept and
// counts until the next boot, for the same program, user and folder. Nothing rests
// on it but words: each command builds its own sandbox and is refused where a
// layer is missing. With sandbox.weaker_ok, where a command would run all the
// same, every start probes.
func (p *parts) probe(ctx context.Context, l *spec) sandbox.Report {
	of := probedOf(l.cfg)
	if r, ok := p.keptProbe(l.id, of); ok && !l.cfg.Sandbox.WeakerOK {
		return r
	}
	r := l.box.Probe(ctx)
	if r.Complete() && of != "" {
		// One that can't be kept is made again by the next start.
		_ = p.values.Put(nsProbed, l.id, probedFmt, probed{of, r})
	}
	return r
}

// keptProbe is the report of an earlier probe of the same, for an agent.
func (p *parts) keptProbe(agent, of string) (sandbox.Report, bool) {
	v, ok, err := p.values.Get(nsProbed, agent)
	var was probed
	if err != nil || !ok || v.Version != probedFmt || json.Unmarshal(v.Data, &was) != nil {
		return sandbox.Report{}, false
	}
	return was.Report, of != "" && was.Of == of && was.Report.Complete()
}

// probedOf names what a probe depends on: the boot, the program, the user, the
// folder. It is empty, and so nothing is kept, where one of them is not known.
func probedOf(cfg config.Config) string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	exe, err := os.Stat("/proc/self/exe")
	if err != nil {
		return ""
	}
	return fmt.Sprintf("boot %s, program %d bytes of %d, user %d, folder %s, weaker %v",
		strings.TrimSpace(string(boot)), exe.Size(), exe.ModTime().UnixNano(), os.Geteuid(), cfg.Workspace, cfg.Sandbox.WeakerOK)
}
