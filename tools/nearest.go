package tools

import (
	"fmt"
	"strings"
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
		if d := distance(name, k); d < least {
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
		if d := distance(strings.ToLower(name), k); d < least && d < len(k) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; perhaps you mean %q", best)
}

// distance counts the letters to change, add or take away between two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost = 1 + min(diag, row[j], row[j-1])
			}
			diag, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
