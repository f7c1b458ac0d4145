package sim

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// faulty is the reason of a reading that was made to fail.
const faulty = "unavailable: simulated fault"

// quantity is a number with a unit, such as "-3.5 °C".
var quantity = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([+-]?[0-9]+(?:\.[0-9]+)?)\s*(\S*)$`) })

// find is the full name of a reading: as it is, in other letters, or a temperature
// without "-thermal".
func (w *World) find(name string) (string, bool) {
	for _, full := range w.names() {
		if strings.EqualFold(name, full) || strings.EqualFold(name+"-thermal", full) {
			return full, true
		}
	}
	return "", false
}

// known is find with an error that lists the names.
func (w *World) known(name string) (string, error) {
	if full, ok := w.find(name); ok {
		return full, nil
	}
	return "", fmt.Errorf("the simulated board has no %q; it has %s", name, strings.Join(w.names(), ", "))
}

// fail makes a reading fail.
func (w *World) fail(name string) error {
	full, err := w.known(name)
	if err == nil {
		w.Off[full] = faulty
	}
	return err
}

// set gives a reading a value, which also ends its fault; "off" takes it away.
func (w *World) set(name, value string) error {
	full, err := w.known(name)
	if err != nil {
		return err
	}
	value = strings.TrimSpace(value)
	if value == "off" {
		w.Off[full] = "unavailable: switched off"
		return nil
	}
	delete(w.Off, full)
	if value == "ok" {
		return nil
	}
	switch full {
	case boardName:
		return fmt.Errorf("board = %q: write board=ok or board=off", value)
	case modeName:
		return w.setMode(value)
	}
	m := quantity().FindStringSubmatch(value)
	if m == nil {
		return fmt.Errorf("%s = %q is no number with a unit; write %s, ok or off", full, value, w.example(full))
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || !w.put(full, n, strings.ToLower(m[2])) {
		return fmt.Errorf("%s = %q does not fit; write %s, ok or off", full, value, w.example(full))
	}
	return nil
}

// setMode takes the name of a mode.
func (w *World) setMode(value string) error {
	i := slices.IndexFunc(powerModes, func(m string) bool { return strings.EqualFold(m, value) })
	if i < 0 {
		return fmt.Errorf("there is no mode %q; the board has %s", value, strings.Join(powerModes, ", "))
	}
	w.Mode = powerModes[i]
	return nil
}

// put stores a number under a name; false when the unit, in small letters, is not
// one of that reading.
func (w *World) put(name string, n float64, unit string) bool {
	whole := n == math.Trunc(n) && math.Abs(n) <= mostCount
	if _, ok := w.Temps[name]; ok {
		w.Temps[name] = n
		return unit == "" || unit == "c" || unit == "°c"
	}
	if s, ok := w.Rails[name]; ok {
		switch unit {
		case "v":
			s.Volts = n
		case "mv":
			s.Volts = n / 1000
		case "a":
			s.Amps = n
		case "ma":
			s.Amps = n / 1000
		default:
			return false
		}
		w.Rails[name] = s
		return true
	}
	if _, ok := w.Counters[name]; ok {
		w.Counters[name] = int64(n)
		return unit == "" && whole
	}
	switch {
	case !whole:
		return false
	case name == fanName && unit == "%":
		w.Fan.Percent = int(n)
	case name == fanName && unit == "rpm":
		w.Fan.RPM = int(n)
	case name == memoryName && (unit == "mib" || unit == "mb"):
		w.Memory.AvailableMiB = int64(n)
	default:
		return false
	}
	return true
}

// example is a value that fits a reading.
func (w *World) example(name string) string {
	switch {
	case name == fanName:
		return "fan=60% or fan=2140rpm"
	case name == memoryName:
		return "memory=512MiB (what is available)"
	}
	if _, ok := w.Temps[name]; ok {
		return name + "=71.5C"
	}
	if _, ok := w.Counters[name]; ok {
		return name + "=3"
	}
	return name + "=4.9V or " + name + "=1.2A"
}
