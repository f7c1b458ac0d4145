package jetson

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"periph.io/x/conn/v3/physic"

	"hardshell/hw"
)

// The plausible range of a temperature, in thousandths of a degree Celsius. The
// kernel marks a sensor that has no value with numbers far outside, -256000 among
// them.
const (
	coldest = -60_000
	hottest = 200_000
)

// The plausible range of a rail, in thousandths of a volt or an ampere.
const (
	leastMilli = -100_000
	mostMilli  = 100_000
)

// integer reads the one number of a kernel file.
func integer(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, errors.New("unavailable: the kernel says nothing")
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("unavailable: the kernel says %s, which is no number", quoted(text))
	}
	return n, nil
}

// within reads a number that makes sense only in a range.
func within(text string, least, most int64) (int64, error) {
	n, err := integer(text)
	if err == nil && (n < least || n > most) {
		return 0, fmt.Errorf("unavailable: the kernel says %d, which stands for no value", n)
	}
	return n, err
}

// temperature reads a thermal zone's temp.
func temperature(text string) (physic.Temperature, error) {
	n, err := within(text, coldest, hottest)
	if err != nil {
		return 0, err
	}
	return physic.ZeroCelsius + physic.Temperature(n)*physic.MilliKelvin, nil
}

// rail reads millivolts and milliamperes.
func rail(volt, amp string) (hw.Rail, error) {
	mv, err := within(volt, leastMilli, mostMilli)
	if err != nil {
		return hw.Rail{}, err
	}
	ma, err := within(amp, leastMilli, mostMilli)
	if err != nil {
		return hw.Rail{}, err
	}
	return hw.Rail{
		Voltage: physic.ElectricPotential(mv) * physic.MilliVolt,
		Current: physic.ElectricCurrent(ma) * physic.MilliAmpere,
		Power:   physic.Power(mv*ma) * physic.MicroWatt,
	}, nil
}

// drive reads a pwm of 0 to 255 as percent.
func drive(text string) (int, error) {
	n, err := within(text, 0, 255)
	return int((n*100 + 127) / 255), err
}

// memory reads meminfo.
func memory(text string) hw.Memory {
	var m hw.Memory
	for _, want := range []struct {
		key  string
		into *int64
	}{{"MemTotal", &m.Total}, {"MemAvailable", &m.Available}} {
		kib, err := meminfo(text, want.key)
		if err != nil {
			return hw.Memory{Off: err.Error()}
		}
		*want.into = kib << 10
	}
	if m.Total == 0 || m.Available > m.Total {
		return hw.Memory{Off: "unavailable: /proc/meminfo does not add up"}
	}
	return m
}

// meminfo finds a line of meminfo and gives its kibibytes.
func meminfo(text, key string) (int64, error) {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			return within(strings.TrimSuffix(strings.TrimSpace(rest), "kB"), 0, 1<<40)
		}
	}
	return 0, fmt.Errorf("unavailable: /proc/meminfo has no %s", key)
}

// status finds the id of the mode in nvpmodel's status, "pmode:0002 …".
func status(text string) (int, error) {
	for _, word := range strings.Fields(text) {
		if digits, ok := strings.CutPrefix(word, "pmode:"); ok {
			id, err := strconv.Atoi(digits)
			if err != nil || id < 0 {
				return 0, fmt.Errorf("%s names no mode", quoted(word))
			}
			return id, nil
		}
	}
	return 0, errors.New("the status file names no mode")
}

// modelLine opens a mode in nvpmodel.conf: "< POWER_MODEL ID=0 NAME=15W >".
var modelLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*<[ \t]*POWER_MODEL[ \t]+ID=(\d{1,9})[ \t]+NAME=([^\s<>]{1,64})[ \t]*>`)
})

// modes gives the names of the modes in nvpmodel.conf by their ids, which differ
// between releases.
func modes(conf string) map[int]string {
	out := map[int]string{}
	for _, m := range modelLine().FindAllStringSubmatch(conf, -1) {
		id, err := strconv.Atoi(m[1])
		if n := name(m[2]); err == nil && n != "" {
			out[id] = n
		}
	}
	return out
}

// name reads what a node calls itself: printable characters without blanks.
func name(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '\t':
			return '_'
		case r <= ' ' || r >= 0x7f:
			return -1
		}
		return r
	}, strings.TrimSpace(text))
}

// quoted shows text of the kernel in a reason, short.
func quoted(s string) string {
	if len(s) > 24 {
		s = strings.ToValidUTF8(s[:24], "") + "…"
	}
	return strconv.QuoteToASCII(s)
}

// why says in words why a file could not be read.
func why(err error) string {
	switch {
	case errors.Is(err, errSilent):
		return "offline: it does not answer"
	case errors.Is(err, syscall.EAGAIN):
		return "offline: its block is switched off"
	case errors.Is(err, fs.ErrNotExist):
		return "unavailable: this board does not have it"
	case errors.Is(err, fs.ErrPermission):
		return "unavailable: this user may not read it"
	}
	var e syscall.Errno
	if errors.As(err, &e) {
		return "unavailable: " + e.Error()
	}
	return "unavailable: it can't be read"
}
