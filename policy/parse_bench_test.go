package policy

import (
	"os"
	"testing"
)

// BenchmarkParse reads the lab policy, examples included: each start waits for it.
func BenchmarkParse(b *testing.B) {
	src, err := os.ReadFile("../deploy/jetson/policy.toml")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("policy.toml", src); err != nil {
			b.Fatal(err)
		}
	}
}
