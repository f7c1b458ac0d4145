package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"hardshell/tools/text"
)

// Duration is a time span, written with its unit: "90s", "10m", "1h30m".
type Duration time.Duration

// forever is the Duration that never ends, written "forever". Only keys that
// say so take it.
const forever Duration = -1

// UnmarshalText reads a span; a bare number is refused, since nobody can tell
// seconds from minutes.
func (d *Duration) UnmarshalText(b []byte) error {
	s := string(b)
	if s == "forever" {
		*d = forever
		return nil
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil && s != "0" {
		return fmt.Errorf("%q has no unit: write %q, %q or %q", s, s+"s", s+"m", s+"h")
	}
	v, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("%q is no time span: write it like \"90s\", \"10m\" or \"1h30m\"", s)
	}
	if v < 0 {
		return fmt.Errorf("%q is negative: write a span from 0s on", s)
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes the span with its unit.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is the span in the shortest form that UnmarshalText reads: 10m rather
// than 10m0s.
func (d Duration) String() string {
	if d == forever {
		return "forever"
	}
	return text.Span(time.Duration(d))
}

// ByteSize is an amount of data in bytes, written with its unit: "8KiB", "1MB".
type ByteSize int64

// units in the order in which String tries them.
var units = []struct {
	name string
	size int64
}{
	{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"B", 1},
}

// UnmarshalText reads an amount; a bare number counts bytes.
func (z *ByteSize) UnmarshalText(b []byte) error {
	s := strings.TrimSpace(string(b))
	factor := int64(1)
	num := s
	for _, u := range units {
		if n, ok := strings.CutSuffix(s, u.name); ok {
			num, factor = strings.TrimSpace(n), u.size
			break
		}
	}
	v, err := strconv.ParseFloat(num, 64)
	switch {
	case err != nil || math.IsNaN(v) || strings.ContainsAny(num, "xXpP_"):
		return fmt.Errorf("%q is no amount of data: write it like \"512B\", \"8KiB\" or \"1MB\"", s)
	case v < 0:
		return fmt.Errorf("%q is negative: write an amount from 0B on", s)
	case v*float64(factor) >= math.MaxInt64:
		return fmt.Errorf("%q is more than this machine can count: write a smaller amount", s)
	}
	*z = ByteSize(math.Round(v * float64(factor)))
	return nil
}

// MarshalText writes the amount with its unit.
func (z ByteSize) MarshalText() ([]byte, error) { return []byte(z.String()), nil }

// String is the amount in its largest binary unit without a remainder.
func (z ByteSize) String() string {
	for _, u := range units[:3] {
		if z >= ByteSize(u.size) && int64(z)%u.size == 0 {
			return strconv.FormatInt(int64(z)/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(z), 10) + "B"
}
