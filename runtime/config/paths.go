package config

import (
	"path/filepath"
	"strings"
)

// Folders of an installed agent. An agent is installed when EtcDir exists;
// MachineState is then the usual state folder.
const (
	EtcDir       = "/etc/hardshell"
	MachineState = varDir + "/state"
	varDir       = "/var/lib/hardshell"
)

// folders are the places that depend on machine and person. An empty one is not
// known: HOME may be unset, as it is for a service.
type folders struct {
	config, state, workspace string
}

// locate finds the folders. It looks at nothing but its arguments.
func locate(installed bool, getenv func(string) string) folders {
	if installed {
		return folders{config: EtcDir, state: MachineState, workspace: filepath.Join(varDir, "workspace")}
	}
	return folders{
		config:    xdg(getenv, "XDG_CONFIG_HOME", ".config"),
		state:     xdg(getenv, "XDG_STATE_HOME", ".local/state"),
		workspace: sub(xdg(getenv, "XDG_DATA_HOME", ".local/share"), "workspace"),
	}
}

// xdg is our folder under a base folder of the person: the variable where it is
// set to an absolute path, else its usual place under HOME.
func xdg(getenv func(string) string, variable, usual string) string {
	if base := getenv(variable); filepath.IsAbs(base) {
		return filepath.Join(base, "hardshell")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, usual, "hardshell")
	}
	return ""
}

// sub is a folder under another, empty when that is not known.
func sub(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// absolute makes a path absolute: ~ stands for HOME, anything else relative is
// taken from base.
func absolute(path, base string, getenv func(string) string) string {
	if home := getenv("HOME"); path == "~" || strings.HasPrefix(path, "~/") {
		if home != "" {
			return filepath.Join(home, strings.TrimPrefix(path, "~"))
		}
	}
	if path == "" || filepath.IsAbs(path) || base == "" {
		return path
	}
	return filepath.Join(base, path)
}
