package builtin

import (
	"cmp"
	"path"
	"strings"

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
	"cd":        `give exec its cwd, or write a script: cd FOLDER && …`,
	"i2cdetect": "ls /sys/class/i2c-dev names the buses; the i2c tool scans and reads one, where you have it",
	"gpioinfo":  "the gpio tool lists the lines that you may use, where you have it", "gpiodetect": "the gpio tool lists the lines that you may use, where you have it",
	"jetson_clocks": "sensors and /sys/devices/system/cpu show the clocks; to change them is the operator's",
	"timedatectl":   "use date", "hostnamectl": "use hostname and uname -a", "service": "use systemctl status NAME",
	"python": "use python3", "[[": shell.OneBracket,
}

// HintOf is what a built-in rule advises about what it denies.
func HintOf(b *Denial, what string) string {
	if s := instead[path.Base(what)]; s != "" && len(b.Programs) > 0 {
		return s
	}
	return b.hint
}

// Absent is what to do without a program that is not there.
func Absent(word string) string {
	switch s := instead[path.Base(word)]; {
	case strings.ContainsAny(word, " |;&<>"):
		return `write each word on its own, ["ls", "-la"], or the whole line as script`
	case strings.Contains(word, "/"):
		return "check the path with ls; what an earlier part makes is run in a call of its own"
	case s != "":
		return s
	}
	return "it is not installed: use another program, or ask the operator"
}

// insteadOf is what tells the same as a file that is not open.
var insteadOf = map[string]string{
	"/proc/mounts": "df -h and lsblk show what is mounted", "/proc/self/mounts": "df -h and lsblk show what is mounted",
	"/proc/net/dev": "/sys/class/net/NAME/statistics holds the counters", "/proc/net/route": "ip route",
	"/etc/passwd": "id and groups tell who you are", "/etc/resolv.conf": "commands have no network; ask the person",
}

// Closed is what to do without a file that no rule opens.
func Closed(abs string) string {
	return cmp.Or(insteadOf[abs], "stay inside the workspace")
}
