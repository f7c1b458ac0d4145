package text

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSpanForms(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Millisecond: "1ms", 1500 * time.Millisecond: "1.5s", 30 * time.Second: "30s", time.Minute: "1m", 90 * time.Second: "1m30s",
		30 * time.Minute: "30m", time.Hour: "1h", 10 * time.Hour: "10h", 90 * time.Minute: "1h30m", time.Hour + 5*time.Second: "1h0m5s", -time.Minute: "-1m",
	} {
		if got := Span(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
}

// What is written is read as the same span.
func TestSpanReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64().Draw(t, "d"))
		if got, err := time.ParseDuration(Span(d)); got != d || err != nil {
			t.Errorf("%s is read as %d, %v; it was %d", Span(d), got, err, d)
		}
	})
}
