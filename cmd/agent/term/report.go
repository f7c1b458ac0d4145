package term

import (
	"fmt"
	"io"

	"hardshell/runtime/event"
)

// errorBody is how an error looks with --json.
type errorBody struct {
	Error event.Problem `json:"error"`
}

// Report tells an error: as JSON on stdout, or as two lines on stderr.
func Report(p event.Problem, asJSON bool, stdout, stderr io.Writer) {
	if asJSON {
		JSON(stdout, errorBody{p})
		return
	}
	fmt.Fprintf(stderr, "agent: %s\n", CleanBlock(p.Message))
	if p.Hint != "" {
		fmt.Fprintf(stderr, "try: %s\n", CleanBlock(p.Hint))
	}
}
