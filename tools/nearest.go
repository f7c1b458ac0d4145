package tools

import (
	"slices"
	"strings"

	"hardshell/policy/wording"
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

// nearest is the known tool that a wrong name most likely means, or "": one of its
// words, what others call so, or what it may be a slip of.
func nearest(name string, known []string) string {
	name = strings.ToLower(name)
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-. :/", r) })
	for _, w := range words {
		for _, k := range known {
			if w == k || strings.HasPrefix(k, w+"_") && len(w) > 3 {
				return k
			}
		}
	}
	if k := kin[name]; slices.Contains(known, k) {
		return k
	}
	if k := wording.Nearest(name, known); k != "" {
		return k
	}
	for _, w := range words {
		if k := kin[w]; slices.Contains(known, k) {
			return k
		}
	}
	return ""
}
