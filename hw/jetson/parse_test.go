package jetson

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hardshell/hw"
	"hardshell/hw/hwtest"
)

func TestModes(t *testing.T) {
	for conf, want := range map[string]map[int]string{
		"< POWER_MODEL ID=0 NAME=15W >\nCPU_ONLINE CORE_4 1\n< POWER_MODEL ID=2 NAME=MAXN_SUPER >\n": {0: "15W", 2: "MAXN_SUPER"},
		"<POWER_MODEL ID=1 NAME=7W>":                     {1: "7W"},
		"< POWER_MODEL ID=1 NAME=7\x1bW >":               {1: "7W"},
		"< POWER_MODEL ID=1 NAME=\xff >":                 {},
		"  <  POWER_MODEL   ID=1   NAME=7W  >":           {1: "7W"},
		"# < POWER_MODEL ID=1 NAME=7W >":                 {},
		"< POWER_MODEL ID=x NAME=7W >":                   {},
		"< POWER_MODEL ID=99999999999999999999 NAME=7W>": {},
		"": {},
	} {
		if d := cmp.Diff(want, modes(conf)); d != "" {
			t.Errorf("%q: %s", conf, d)
		}
	}
}

func TestStatus(t *testing.T) {
	for text, want := range map[string]int{
		"pmode:0002": 2, "pmode:0000\n": 0, "pmode:0001 fmode:fan_mode_quiet\n": 1, "fmode:quiet pmode:0010": 10,
		"": -1, "pmode:": -1, "pmode:x": -1, "mode:2": -1, "pmode:-3": -1,
	} {
		got, err := status(text)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestName(t *testing.T) {
	for text, want := range map[string]string{
		"cpu-thermal\n": "cpu-thermal", "sum of shunt voltages": "sum_of_shunt_voltages", "\x1b[2Jx\x00": "[2Jx", "é": "", "  ": "",
	} {
		if got := name(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestDrive(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "60": 24, "128": 50, "255": 100, "1": 0, "-1": 0} {
		if got, _ := drive(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestMemory(t *testing.T) {
	for text, want := range map[string]hw.Memory{
		"MemTotal: 100 kB\nMemAvailable: 40 kB\n": {Total: 100 << 10, Available: 40 << 10},
		"MemAvailable: 40 kB\nMemTotal: 100 kB":   {Total: 100 << 10, Available: 40 << 10},
		"MemTotal: 100 kB\n":                      {Off: "unavailable: /proc/meminfo has no MemAvailable"},
		"MemTotal: lots kB\n":                     {Off: `unavailable: the kernel says "lots", which is no number`},
		"MemTotal: 9999999999999999 kB\n":         {Off: "unavailable: the kernel says 9999999999999999, which stands for no value"},
		"MemTotal: 0 kB\nMemAvailable: 0 kB\n":    {Off: "unavailable: /proc/meminfo does not add up"},
		"MemTotal: 1 kB\nMemAvailable: 2 kB\n":    {Off: "unavailable: /proc/meminfo does not add up"},
		"":                                        {Off: "unavailable: /proc/meminfo has no MemTotal"},
	} {
		if d := cmp.Diff(want, memory(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

// Whatever the kernel says, the reading keeps the rules: a value or a reason on
// one printable line.
func FuzzReadings(f *testing.F) {
	f.Add("46000\n", "4984", "1856", "60", "MemTotal: 2 kB\nMemAvailable: 1 kB\n", "pmode:0002", "< POWER_MODEL ID=2 NAME=MAXN_SUPER >")
	f.Add("-256000", "", "x", "256", "MemTotal:", "pmode:", "<")
	f.Add("\x00", "-9223372036854775808", "9223372036854775807", "-1", "MemTotal: -1 kB", "pmode:99999999999999999999", "< POWER_MODEL ID=1 NAME=\xff >")
	f.Fuzz(func(t *testing.T, temp, volt, amp, pwm, mem, stat, conf string) {
		var r hw.Readings
		var err error
		off := func(err error) string {
			if err == nil {
				return ""
			}
			text := err.Error()
			if text == "" || len(text) > 200 || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("reason %q", text)
			}
			return text
		}
		r.Temps = []hw.Temp{{Name: "a"}}
		r.Temps[0].Value, err = temperature(temp)
		r.Temps[0].Off = off(err)
		supply, err := rail(volt, amp)
		supply.Name, supply.Off = "b", off(err)
		r.Rails = []hw.Rail{supply}
		r.Fan.Drive, err = drive(pwm)
		r.Fan.DriveOff = off(err)
		r.Memory = memory(mem)
		r.Mode, r.ModeOff = hw.Unknown, "none"
		if id, err := status(stat); off(err) == "" {
			if n, ok := modes(conf)[id]; ok {
				r.Mode, r.ModeOff = n, ""
			}
		}
		if p := hwtest.Problems(r); p != nil {
			t.Errorf("%+v: %v", r, p)
		}
		if n := name(temp); strings.ContainsFunc(n, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Errorf("name %q", n)
		}
	})
}
