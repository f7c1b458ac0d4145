package policy

import (
	"path"
	"slices"
	"strings"

	"hardshell/policy/argv"
	"hardshell/policy/shell"
)

// What a refusal says to do instead. A small model tries what stands there, so it
// names one thing that works.

// instead is what does the work of a program that is refused, or that is seldom there.
var instead = map[string]string{
	"htop": "use ps aux, or top -b -n 1", "btop": "use ps aux, or top -b -n 1", "iotop": "use ps aux, or top -b -n 1",
	"less": "use read, cat, head or tail", "more": "use read, cat, head or tail", "most": "use read, cat, head or tail",
	"man": "run the program itself with --help", "info": "run the program itself with --help",
	"ifconfig": "use ip addr", "route": "use ip route",
	"mount":    "df -h and lsblk show what is mounted; mounting is the operator's",
	"nvpmodel": "sensors shows the mode; to change it is the operator's", "tegrastats": "use sensors", "nvidia-smi": "use sensors",
	"i2cdetect": "ls /sys/class/i2c-dev names the buses; the i2c tool scans and reads one, where you have it",
	"gpioinfo":  "the gpio tool lists the lines that you may use, where you have it", "gpiodetect": "the gpio tool lists the lines that you may use, where you have it",
	"jetson_clocks": "sensors and /sys/devices/system/cpu show the clocks; to change them is the operator's",
	"timedatectl":   "use date", "hostnamectl": "use hostname and uname -a", "service": "use systemctl status NAME",
	"python": "use python3", "[[": shell.OneBracket,
}

// hintOf is what a built-in rule advises about what it denies.
func hintOf(b *builtinRule, what string) string {
	if s := instead[path.Base(what)]; s != "" && len(b.programs) > 0 {
		return s
	}
	return b.hint
}

// absent is what to do without a program that is not there.
func absent(word string) string {
	switch s := instead[path.Base(word)]; {
	case strings.Contains(word, "/"):
		return "check the path with ls"
	case s != "":
		return s
	}
	return "it is not installed: use another program, or ask the operator"
}

// misfitHint says how a program may be called that has rules. closest is the rule that
// fits best.
func misfitHint(rules []*execRule, ws []argv.Word, closest *execRule, why string) string {
	name := path.Base(ws[0].Text)
	var forms, verbs []string
	open := false // its first word may be anything
	for _, r := range rules {
		if r.verdict == Deny || r.elsewhere(ws) && r != closest {
			continue
		}
		_, rest, _ := strings.Cut(r.form, " ")
		forms = append(forms, strings.TrimSpace(name+" "+rest))
		words, any := r.pattern.Verbs()
		if open = open || any; open {
			continue
		}
		verbs = append(verbs, slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })...)
	}
	if len(ws) > 1 && !open && len(verbs) > 1 && !slices.Contains(verbs, ws[1].Text) {
		slices.Sort(verbs)
		return "of " + name + " the policy allows: " + strings.Join(slices.Compact(verbs), ", ")
	}
	hint := "the policy allows: " + strings.Join(forms[:min(4, len(forms))], "; ")
	if flags := closest.flags(); strings.HasPrefix(why, "the flag ") && len(flags) > 0 {
		hint += ", with " + strings.Join(flags, " ")
	}
	return hint
}

// elsewhere tells whether a rule is for one flag alone, such as --help, that a command
// does not begin with: it says nothing of what was meant.
func (r *execRule) elsewhere(ws []argv.Word) bool {
	lone := r.pattern.LoneFlags()
	return lone != nil && (len(ws) < 2 || !slices.Contains(lone, ws[1].Text))
}

// flags names the flags that a rule allows; nil of no rule.
func (r *execRule) flags() []string {
	if r == nil {
		return nil
	}
	out := r.pattern.FlagNames()
	const most = 16
	if len(out) > most {
		out = append(out[:most], "…")
	}
	return out
}
