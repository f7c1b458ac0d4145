package tools

import (
	"fmt"
	"strings"

	"hardshell/policy"
)

// kin are names that models know from elsewhere, and ours.
var kin = map[string]string{
	"bash": "exec", "shell": "exec", "sh": "exec", "run": "exec", "terminal": "exec", "command": "exec", "cmd": "exec", "python": "exec",
	"cat": "read", "open": "read", "view": "read", "ls": "exec",
	"create": "write", "save": "write",
	"replace": "edit", "patch": "edit", "sed": "edit",
	"status": "session_status", "time": "session_status", "date": "session_status",
	"temp": "sensors", "temperature": "sensors", "reminder": "cron", "schedule": "cron", "pin": "gpio",
}

// nearest is the known name that a wrong one most likely means, or "".
func nearest(name string, known []string) string {
	name = strings.ToLower(name)
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' || r == ':' || r == '/' })
	for _, w := range words {
		for _, k := range known {
			if w == k || strings.HasPrefix(k, w+"_") && len(w) > 3 {
				return k
			}
		}
	}
	best, least := "", len(name)/2+1
	if len(name) > 64 { // no typing slip
		return ""
	}
	for _, k := range known {
		if d := policy.Distance(name, k); d < least {
			best, least = k, d
		}
	}
	if best != "" && least <= 2 {
		return best
	}
	for _, w := range words {
		for _, k := range known {
			if kin[w] == k {
				return k
			}
		}
	}
	return best
}

// didYouMean is the hint behind a name that is not known.
func didYouMean(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	best, least := "", 3
	for _, k := range known {
		if d := policy.Distance(strings.ToLower(name), k); d < least && d < len(k) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; perhaps you mean %q", best)
}
