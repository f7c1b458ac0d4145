package sandbox

import (
	"slices"
	"strings"
)

// Layer is one layer of confinement on this machine.
type Layer struct {
	Name string `json:"name"`
	// State is "holds", "missing", "not needed", or "not tried" where nothing was
	// built because another one is missing.
	State string `json:"state"`
	// Mandatory layers refuse commands when they are missing.
	Mandatory bool `json:"mandatory"`
	// Means says what the layer keeps from commands; Why why it is missing and Action
	// what to do about it.
	Means  string `json:"means"`
	Why    string `json:"why,omitempty"`
	Action string `json:"action,omitempty"`
}

// known are all layers in the order in which they are applied.
var known = []Layer{
	{Name: layerEnv, Mandatory: true, Means: "a fixed environment, no terminal, no descriptor of the agent"},
	{Name: layerSession, Mandatory: true, Means: "a session and process group of its own"},
	{Name: layerCgroup, Means: "memory, processes and processor time of all that a command starts, taken together", Action: "run the agent as a unit with Delegate=memory pids cpu on a machine with cgroup v2; until then exec.memory and exec.processes bound each process, or the user"},
	{Name: layerUser, Mandatory: true, Means: "a user namespace, in which an ordinary user can build the rest", Action: "let the agent make user namespaces (deploy/jetson/README.md)"},
	{Name: layerMount, Mandatory: true, Means: "a file system with nothing but the workspace, the system's programs and what was granted", Action: "let the agent make user namespaces, and take options out of its unit that put mounts over /proc (deploy/jetson/README.md)"},
	{Name: layerPID, Mandatory: true, Means: "no other process is seen, and all that was started ends as a whole", Action: "let the agent make namespaces (deploy/jetson/README.md)"},
	{Name: layerNet, Mandatory: true, Means: "no network, so neither the model server nor the agent's socket", Action: "let the agent make namespaces (deploy/jetson/README.md)"},
	{Name: layerIPC, Mandatory: true, Means: "shared memory and a host name of its own", Action: "let the agent make namespaces (deploy/jetson/README.md)"},
	{Name: layerRlimits, Mandatory: true, Means: "limits of each process: data, file size, open files, processor time"},
	{Name: layerCaps, Mandatory: true, Means: "no privilege of root, not even for root"},
	{Name: layerNoPrivs, Mandatory: true, Means: "no program gives new privileges, set-user-id or not"},
	{Name: layerLandlock, Means: "a second fence around the same files", Action: "nothing to do: the other layers hold; a kernel with CONFIG_SECURITY_LANDLOCK has it"},
	{Name: layerSeccomp, Mandatory: true, Means: "system calls that no command needs are refused, foreign architectures killed", Action: "use a kernel with CONFIG_SECCOMP_FILTER"},
	{Name: layerStarts, Means: "each program that a command starts is judged by policy and on record", Action: "use Linux 5.7 or newer; until then policy judges a command's own words only"},
}

// Each tells layer by layer what this machine has.
func (r Report) Each() []Layer {
	out := append([]Layer(nil), known...)
	for i := range out {
		l := &out[i]
		why := ""
		switch l.Name {
		case layerCgroup:
			why = r.NoGroup
		case layerLandlock:
			why = "this kernel is built without it"
		case layerStarts:
			why = "this kernel can't"
		default:
			why = r.Missing
		}
		switch {
		case r.has(l.Name):
			l.State, l.Action = "holds", ""
		case len(r.Layers) == 0 && !l.blamed(r.Missing):
			l.State, l.Action = "not tried", ""
		case l.Name == layerUser && r.User == 0:
			l.State, l.Action = "not needed", ""
		default:
			l.State, l.Why = "missing", why
			if r.Mend != "" && (l.namespace() || l.blamed(r.Missing)) {
				l.Action = r.Mend
			}
		}
	}
	return out
}

// Unheld names each limit that holds nothing here, with the reason.
func (r Report) Unheld() []string {
	if len(r.Layers) == 0 || r.has(layerCgroup) || r.has(layerPID) || r.User != 0 {
		return nil
	}
	return []string{"exec.processes bounds nothing: the kernel counts no processes of root, and commands have no cgroup (" + r.NoGroup + ") nor a process namespace"}
}

// has reports a layer by its name, with or without a version.
func (r Report) has(name string) bool {
	for _, l := range r.Layers {
		if l == name || strings.HasPrefix(l, name+"-") && name == layerLandlock {
			return true
		}
	}
	return false
}

// blamed reports whether the words of a missing layer speak of this one.
func (l Layer) blamed(missing string) bool {
	if l.namespace() && strings.HasPrefix(missing, "namespaces") {
		return true // all are made at once
	}
	return strings.HasPrefix(missing, l.Name+":")
}

// namespace reports whether the layer is a namespace.
func (l Layer) namespace() bool {
	return slices.Contains([]string{layerUser, layerMount, layerPID, layerNet, layerIPC}, l.Name)
}
