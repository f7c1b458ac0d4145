package sandbox

import (
	"os"
	"testing"
)

// TestMain lets the test binary play the roles of the sandbox, as the agent does.
func TestMain(m *testing.M) {
	if code, ran := Main(os.Args); ran {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
