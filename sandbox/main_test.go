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
	if dir := os.Getenv("SANDBOX_TEST_AGENT"); dir != "" {
		os.Exit(doomed(dir))
	}
	os.Exit(m.Run())
}
