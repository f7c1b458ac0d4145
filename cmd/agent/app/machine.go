package app

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"time"

	"hardshell/assembly"
	"hardshell/hw"
	"hardshell/hw/jetson"
	"hardshell/hw/sim"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/model"
	"hardshell/tools/text"
)

// machine is where a running system tells of itself; tests point it elsewhere.
type machine struct{ root string }

// this is the machine that the program runs on.
var this = machine{root: "/"}

// host describes the machine for the prompt: facts that don't change while it
// runs. The board is nil where there is none.
func (m machine) host(cfg config.Config) (assembly.Host, hw.Board, error) {
	name, err := os.Hostname()
	if err != nil {
		name = ""
	}
	h := assembly.Host{Name: name, Board: "no board", OS: goruntime.GOOS, Arch: goruntime.GOARCH}
	b, err := m.board(cfg)
	if b != nil {
		h.Board = text.Excerpt(b.String(), 80)
	}
	return h, b, err
}

// board opens the configured board, nil where auto finds none.
func (m machine) board(cfg config.Config) (hw.Board, error) {
	b, err := hw.Open(cfg.Board, m.root, boards(cfg)...)
	var none *hw.None
	switch {
	case errors.As(err, &none) && none.Kind == hw.Auto:
		return nil, nil
	case errors.As(err, &none):
		return nil, event.Errorf("no_board", none.Hint(), "%v", none)
	case err != nil:
		return nil, event.Errorf("board", "agent help sim show", "%v", err)
	}
	return b, nil
}

// boards are the kinds of board that the program has drivers for.
func boards(cfg config.Config) []hw.Driver {
	return []hw.Driver{
		{Kind: "jetson", Fits: jetson.Fits, Open: func(root, model string) (hw.Board, error) { return jetson.Open(jetson.Tree(root), model) }},
		{Kind: "sim", Open: func(string, string) (hw.Board, error) { return Sim(cfg) }},
	}
}

// Sim is the simulated board of a state folder. Its world lies beside the store.
func Sim(cfg config.Config) (*sim.Board, error) {
	return sim.Open(filepath.Join(cfg.State, "sim.json"))
}

// Memory is the machine's, 0 where it is not known.
func Memory() model.Memory { return this.memory() }

func (m machine) memory() model.Memory {
	var out model.Memory
	f, err := os.Open(filepath.Join(m.root, "proc/meminfo"))
	if err != nil {
		return out
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		name, rest, _ := strings.Cut(s.Text(), ":")
		kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
		switch {
		case err != nil:
		case name == "MemAvailable":
			out.Free = kib << 10
		case name == "MemTotal":
			out.Total = kib << 10
		}
	}
	return out
}

// Zone is the configured zone, else the machine's own by its IANA name, else UTC.
func Zone(configured string, getenv func(string) string) *time.Location {
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
