package policy

import (
	"os"
	"testing"
)

func readLab(t testing.TB) *Policy {
	t.Helper()
	src, err := os.ReadFile("../deploy/jetson/policy.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse("policy.toml", src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLabPolicyLoads(t *testing.T) { readLab(t) }
