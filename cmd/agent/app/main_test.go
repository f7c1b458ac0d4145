package app

import (
	"os"
	"testing"

	"hardshell/sandbox"
)

// TestMain lets commands run: the sandbox starts its own program.
func TestMain(m *testing.M) {
	if code, ran := sandbox.Main(os.Args); ran {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
