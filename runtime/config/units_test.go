package config

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Duration
		out  string
		err  string
	}{
		{in: "90s", want: Duration(90 * time.Second), out: "1m30s"},
		{in: "10m", want: Duration(10 * time.Minute), out: "10m"},
		{in: "2h", want: Duration(2 * time.Hour), out: "2h"},
		{in: "1h0m5s", want: Duration(time.Hour + 5*time.Second), out: "1h0m5s"},
		{in: "1500ms", want: Duration(1500 * time.Millisecond), out: "1.5s"},
		{in: "0", want: 0, out: "0s"},
		{in: "forever", want: forever, out: "forever"},
		{in: "30", err: `"30" has no unit: write "30s", "30m" or "30h"`},
		{in: "-5s", err: `"-5s" is negative: write a span from 0s on`},
		{in: "", err: `"" is no time span: write it like "90s", "10m" or "1h30m"`},
		{in: "5 minutes", err: `"5 minutes" is no time span: write it like "90s", "10m" or "1h30m"`},
		{in: "9999999999h", err: `"9999999999h" is no time span: write it like "90s", "10m" or "1h30m"`},
	} {
		var d Duration
		err := d.UnmarshalText([]byte(tt.in))
		if got := message(err); got != tt.err || d != tt.want {
			t.Errorf("%q = %v, %q; want %v, %q", tt.in, d, got, tt.want, tt.err)
		}
		if err != nil {
			continue
		}
		b, err := d.MarshalText()
		if err != nil || string(b) != tt.out {
			t.Errorf("%q is written as %q, %v; want %q", tt.in, b, err, tt.out)
		}
	}
}

func TestByteSize(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want ByteSize
		out  string
		err  string
	}{
		{in: "8KiB", want: 8192, out: "8KiB"},
		{in: "8 KiB", want: 8192, out: "8KiB"},
		{in: "1.5MiB", want: 3 << 19, out: "1536KiB"},
		{in: "2GiB", want: 2 << 30, out: "2GiB"},
		{in: "1MB", want: 1e6, out: "1000000B"},
		{in: "3kB", want: 3000, out: "3000B"},
		{in: "512", want: 512, out: "512B"},
		{in: "0B", want: 0, out: "0B"},
		{in: "8k", err: `"8k" is no amount of data: write it like "512B", "8KiB" or "1MB"`},
		{in: "KiB", err: `"KiB" is no amount of data: write it like "512B", "8KiB" or "1MB"`},
		{in: "0x10B", err: `"0x10B" is no amount of data: write it like "512B", "8KiB" or "1MB"`},
		{in: "NaNB", err: `"NaNB" is no amount of data: write it like "512B", "8KiB" or "1MB"`},
		{in: "-1B", err: `"-1B" is negative: write an amount from 0B on`},
		{in: "99999999999GiB", err: `"99999999999GiB" is more than this machine can count: write a smaller amount`},
	} {
		var z ByteSize
		err := z.UnmarshalText([]byte(tt.in))
		if got := message(err); got != tt.err || z != tt.want {
			t.Errorf("%q = %v, %q; want %v, %q", tt.in, z, got, tt.want, tt.err)
		}
		if err != nil {
			continue
		}
		b, err := z.MarshalText()
		if err != nil || string(b) != tt.out {
			t.Errorf("%q is written as %q, %v; want %q", tt.in, b, err, tt.out)
		}
	}
}

// message is an error's text, empty for none.
func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
