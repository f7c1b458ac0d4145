package policy

import (
	"fmt"
	"slices"
	"strings"

	"hardshell/policy/shell"
	"hardshell/policy/wording"
)

// environment judges the variables that a command is given.
func (h *hearing) environment(env []string) {
	for _, e := range env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || name == "" {
			h.deny("builtin.env", fmt.Sprintf("%s is no variable: write NAME=value", wording.Quote(e)), "")
			continue
		}
		h.variable(name, value)
	}
}

// variable judges one variable that reaches programs. Only names on the list
// pass: too many programs take commands, files or code from their environment.
func (h *hearing) variable(name, value string) {
	switch {
	case shell.Steers(name):
		h.deny("builtin.env", fmt.Sprintf("%s changes which programs run", wording.Quote(name)), "leave it out")
	case !slices.Contains(harmlessEnv, name) && !strings.HasPrefix(name, "LC_") && !slices.Contains(h.policy.env, name):
		h.deny("builtin.env", fmt.Sprintf("%s is not among the variables that commands may be given", wording.Quote(name)),
			fmt.Sprintf("the operator can add it to env in the policy; there are %s", strings.Join(append(slices.Clone(harmlessEnv), h.policy.env...), ", ")))
	case strings.HasPrefix(value, "/") || strings.HasPrefix(value, ":") || strings.Contains(value, ".."):
		if slices.Contains(harmlessEnv, name) || strings.HasPrefix(name, "LC_") {
			h.deny("builtin.env", fmt.Sprintf("the value %s of %s names a file", wording.Quote(value), name), "leave it out")
		}
	}
}

// harmlessEnv are the variables that every command may be given.
var harmlessEnv = []string{"LANG", "LANGUAGE", "TZ", "TERM", "NO_COLOR", "COLUMNS", "LINES"}
