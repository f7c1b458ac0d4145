package text

import (
	"strings"
	"time"
)

// Span gives d with its units and without those at its end that are zero: 10m
// rather than 10m0s. time.ParseDuration reads it.
func Span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
