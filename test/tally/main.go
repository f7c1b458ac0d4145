// Command tally runs "go test" and holds it to the list of tests that may be
// skipped. It prints what a person needs (each package's closing line, the whole
// output of what failed, every skip with its reason) and one line of totals.
//
//	go run ./test/tally -- -race ./...
//
// A skip whose test and reason are not in test/skips.txt fails the run, and so
// does a run in which no test ran at all.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program; its value is the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tally", flag.ContinueOnError)
	list := flags.String("skips", "test/skips.txt", "the skips that are allowed")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	allowed, err := readSkips(*list)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	cmd := exec.Command("go", append([]string{"test", "-json"}, flags.Args()...)...)
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	t := newTally(stdout)
	bad := t.read(json.NewDecoder(out))
	err = cmd.Wait()
	if bad != nil {
		fmt.Fprintln(stderr, "the output of go test could not be read:", bad)
		return 1
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if !t.close(allowed) || err != nil {
		return 1
	}
	return 0
}
