package main

import (
	"os"
	"strings"
	"testing"
)

// Output that did not get out is no success.
func TestLostOutputFails(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"agent", "version"}, {"agent", "version", "--json"}, {"agent", "help"}} {
		var errs strings.Builder
		if code := run(t.Context(), args, os.Getenv, strings.NewReader(""), full, &errs); code != exitFailed {
			t.Errorf("%v: exit %d", args, code)
		}
		if !strings.Contains(errs.String(), "what was to be said did not get out: write /dev/full: no space left on device") {
			t.Errorf("%v says %q", args, errs.String())
		}
	}
}
