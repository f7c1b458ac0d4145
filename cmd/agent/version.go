package main

import (
	"context"
	"fmt"
	goruntime "runtime"
	"runtime/debug"

	"hardshell/cmd/agent/term"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

// build is what "agent version" tells.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Time    string `json:"time,omitempty"` // of the commit
	Dirty   bool   `json:"dirty,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func versionCommand() subcommand {
	return subcommand{
		name: "version", short: "which agent this is",
		long: "Prints version, commit, Go version and platform; agent --version does the same.\n\n  agent version --json\n",
		run: func(_ context.Context, inv *invocation) error {
			if err := inv.noArgs("version"); err != nil {
				return err
			}
			b := thisBuild()
			if inv.json {
				term.JSON(inv.stdout, b)
				return nil
			}
			fmt.Fprintf(inv.stdout, "hardshell %s (%s/%s, %s)\n", b.Version, b.OS, b.Arch, b.Go)
			if b.Commit != "" {
				fmt.Fprintf(inv.stdout, "commit %s of %s\n", b.Commit, b.Time)
			}
			return nil
		},
	}
}

// thisBuild reads what the toolchain stamped into the binary.
func thisBuild() build {
	b := build{Version: version, Go: goruntime.Version(), OS: goruntime.GOOS, Arch: goruntime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}
