package app

import (
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"

	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

// fixture makes a machine of files.
func fixture(t *testing.T, files map[string]string) machine {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return machine{root}
}

func TestBoard(t *testing.T) {
	orin := fixture(t, map[string]string{"proc/device-tree/model": "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super\x00"})
	pi := fixture(t, map[string]string{"proc/device-tree/model": "Raspberry Pi 5 Model B\x00"})
	pc := fixture(t, nil)
	const name = "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super"
	for _, tt := range []struct {
		m          machine
		kind, want string
		code       string
	}{
		{orin, "auto", name, ""},
		{orin, "jetson", name, ""},
		{orin, "sim", "simulated Jetson Orin Nano", ""},
		{pi, "auto", "no board", ""},
		{pc, "auto", "no board", ""},
		{pc, "sim", "simulated Jetson Orin Nano", ""},
		{pc, "jetson", "", "no_board"},
		{pi, "jetson", "", "no_board"},
	} {
		h, b, err := tt.m.host(config.Config{Board: tt.kind, State: t.TempDir()})
		if h.Board != orElse(tt.want, "no board") || (b == nil) != (h.Board == "no board") {
			t.Errorf("%s: %q, %v", tt.kind, h.Board, b)
		}
		if tt.code != "" {
			var p *event.Problem
			if !errors.As(err, &p) || p.Code != tt.code {
				t.Errorf("%s: %v", tt.kind, err)
			}
		} else if err != nil {
			t.Error(err)
		}
	}
	h, _, err := pc.host(config.Config{Board: "sim", State: t.TempDir()})
	if err != nil || h.OS != goruntime.GOOS || h.Arch != goruntime.GOARCH {
		t.Errorf("%+v %v", h, err)
	}
}

// orElse is s, or other where s is empty.
func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func TestMemory(t *testing.T) {
	got := []model.Memory{
		fixture(t, map[string]string{"proc/meminfo": "MemTotal: 7847524 kB\nMemFree: 1 kB\nMemAvailable:    6123456 kB\n"}).memory(),
		fixture(t, map[string]string{"proc/meminfo": "MemAvailable: lots\n"}).memory(),
		fixture(t, nil).memory(),
	}
	if d := cmp.Diff([]model.Memory{{Free: 6123456 << 10, Total: 7847524 << 10}, {}, {}}, got); d != "" {
		t.Error(d)
	}
}

func TestZone(t *testing.T) {
	linked := fixture(t, map[string]string{"etc/timezone": "Asia/Tokyo\n"})
	if err := os.Symlink("/usr/share/zoneinfo/Europe/Berlin", filepath.Join(linked.root, "etc/localtime")); err != nil {
		t.Fatal(err)
	}
	named := fixture(t, map[string]string{"etc/timezone": "Asia/Tokyo\n"})
	bare := fixture(t, nil)
	env := func(tz string) func(string) string { return func(string) string { return tz } }
	for _, tt := range []struct {
		m                    machine
		configured, tz, want string
	}{
		{linked, "America/New_York", "Europe/Paris", "America/New_York"},
		{linked, "", "Europe/Paris", "Europe/Paris"},
		{linked, "", ":Europe/Paris", "Europe/Paris"},
		{linked, "", "/usr/share/zoneinfo/Europe/Paris", "Europe/Berlin"},
		{linked, "", "nonsense", "Europe/Berlin"},
		{linked, "", "", "Europe/Berlin"},
		{named, "", "", "Asia/Tokyo"},
		{bare, "", "", "UTC"},
	} {
		if got := tt.m.zone(tt.configured, env(tt.tz)).String(); got != tt.want {
			t.Errorf("configured %q, TZ %q: %s, want %s", tt.configured, tt.tz, got, tt.want)
		}
	}
}
