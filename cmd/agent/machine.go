package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"time"

	"hardshell/assembly"
	"hardshell/runtime/event"
)

// machine is where a running system tells of itself; tests point it elsewhere.
type machine struct{ root string }

// this is the machine that the program runs on.
var this = machine{root: "/"}

// host describes the machine for the prompt: facts that don't change while it
// runs.
func (m machine) host(board string) (assembly.Host, error) {
	name, err := os.Hostname()
	if err != nil {
		name = ""
	}
	h := assembly.Host{Name: name, OS: goruntime.GOOS, Arch: goruntime.GOARCH}
	h.Board, err = m.board(board)
	return h, err
}

// board names the board. auto finds a Jetson or says that there is none; it never
// takes the simulated one.
func (m machine) board(kind string) (string, error) {
	model := m.deviceTree()
	jetson := strings.Contains(model, "Jetson")
	switch {
	case kind == "sim":
		return "simulated Jetson Orin Nano", nil
	case jetson:
		return model, nil
	case kind == "jetson":
		return "", &failure{exit: exitUsage, Problem: event.Problem{
			Code: "no_board", Message: "this machine is no Jetson", Hint: "--board=sim gives a simulated one, --board=auto goes on without pins",
		}}
	}
	return "no board", nil
}

// deviceTree is the board's own name for itself, empty where there is none.
func (m machine) deviceTree() string {
	b, err := os.ReadFile(filepath.Join(m.root, "proc/device-tree/model"))
	if err != nil {
		return ""
	}
	return oneLine(string(bytes.TrimRight(b, "\x00\n")), 80)
}

// freeMemory is what programs may still take, in bytes; 0 when it is not known.
func (m machine) freeMemory() int64 {
	f, err := os.Open(filepath.Join(m.root, "proc/meminfo"))
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		rest, ok := strings.CutPrefix(s.Text(), "MemAvailable:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
		if err == nil {
			return kib << 10
		}
	}
	return 0
}

// zone is the configured zone, else the machine's own by its IANA name, else UTC.
func zone(configured string, getenv func(string) string) *time.Location {
	return this.zone(configured, getenv)
}

func (m machine) zone(configured string, getenv func(string) string) *time.Location {
	names := []string{configured}
	if configured == "" {
		names = []string{strings.TrimPrefix(getenv("TZ"), ":"), m.localtime(), m.timezone()}
	}
	for _, n := range names {
		if n == "" || n == "Local" || filepath.IsAbs(n) {
			continue
		}
		if loc, err := time.LoadLocation(n); err == nil {
			return loc
		}
	}
	return time.UTC
}

// localtime is the zone that /etc/localtime links to.
func (m machine) localtime() string {
	to, err := os.Readlink(filepath.Join(m.root, "etc/localtime"))
	if err != nil {
		return ""
	}
	_, name, _ := strings.Cut(to, "zoneinfo/")
	return name
}

// timezone is the zone that /etc/timezone names.
func (m machine) timezone() string {
	b, err := os.ReadFile(filepath.Join(m.root, "etc/timezone"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
