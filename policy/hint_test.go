package policy

import (
	"strings"
	"testing"

	"hardshell/policy/builtin"
)

// What a model is refused says what to do instead, in few words: forms that models
// write every day.
func TestRefusalsSayWhatToDoInstead(t *testing.T) {
	for _, c := range []struct {
		a    Action
		hint string
	}{
		{argvAction("tail", "-f", "log.txt"), "tail -n 20 FILE shows what is there; "},
		{argvAction("journalctl", "-f"), "the policy allows: journalctl {flags}, with "},
		{argvAction("git", "pull"), "the person can fetch or push"},
		{argvAction("git", "clone", "http://x/y"), "the person can fetch or push"},
		{argvAction("htop"), "use ps aux, or top -b -n 1"},
		{argvAction("less", "log.txt"), "use read, cat, head or tail"},
		{argvAction("man", "ls"), "run the program itself with --help"},
		{argvAction("nano", "log.txt"), "use read, write and edit"},
		{argvAction("ifconfig"), "use ip addr"},
		{argvAction("mount"), "df -h and lsblk show what is mounted; mounting is the operator's"},
		{argvAction("nvpmodel", "-q"), "sensors shows the mode; to change it is the operator's"},
		{argvAction("reboot"), "look with sensors or systemctl status; changes are the power tool's or the operator's"},
		{argvAction("gpioset", "gpiochip0", "12=1"), "use sensors, or the gpio or i2c tool where you have one; else ask the operator"},
		{argvAction("curl", "http://x/"), "work with the files of the workspace; the person can fetch what is elsewhere"},
		{argvAction("sudo", "dmesg"), "ask the operator to do it"},
		{argvAction("kill", "1234"), "use process with action kill; the daemon is stopped by the operator"},
		{argvAction("/opt/x/bin/tool"), "put the lines of a script file into script; for a program the operator can add a rule with its hash"},
		{scriptAction("ls ~/logs"), "leave ~/ out: paths start in the workspace"},
		{scriptAction("[[ -f log.txt ]] && echo y"), "write [ … ] with one bracket"},
		{scriptAction("ls &> out.txt"), "write: > FILE 2>&1"},
		{scriptAction("cat <<< hi"), "write: echo TEXT | PROGRAM, or give stdin"},
		{scriptAction("grep x <(ls)"), "write the output to a file first, then name the file"},
		{scriptAction("a=(1 2); echo"), "write the words out, or use for WORD in …"},
		{scriptAction("for f in *.txt; do cat $f; done"), `write "$f"`},
		{scriptAction("cd nosuch && ls"), "make the folder in a call of its own, or use paths"},
		{scriptAction("ls *.{log,txt}"), "write the words out"},
		{scriptAction("sleep 60"), "start it with background: true; what is for later is for the cron tool"},
		{scriptAction("source env.sh"), "write the commands themselves, plainly"},
	} {
		d := judged(t, c.a, true)
		if d.Verdict != Deny || !strings.HasPrefix(d.Hint, c.hint) || len(d.Hint) > 300 {
			t.Errorf("%s: %s by %s, hint %q, want %q", text(c.a), d.Verdict, d.Rule, d.Hint, c.hint)
		}
		if strings.Contains(d.Reason, "tried parsing") {
			t.Errorf("%s: %s", text(c.a), d.Reason)
		}
	}
}

func TestProgramsThatAreNotThere(t *testing.T) {
	for word, want := range map[string]string{
		"python": "use python3", "tegrastats": "use sensors", "./gone": "check the path with ls; what an earlier part makes is run in a call of its own", "/opt/x/python": "check the path with ls; what an earlier part makes is run in a call of its own", "ls -la": `write each word on its own, ["ls", "-la"], or the whole line as script`,
		"frobnicate": "it is not installed: use another program, or ask the operator",
	} {
		if got := builtin.Absent(word); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// What stands there to do instead is something that the shipped policy allows.
func TestWhatIsAdvisedIsAllowed(t *testing.T) {
	for _, words := range []string{"ps aux", "top -b -n 1", "cat log.txt", "head log.txt", "tail log.txt", "ip addr", "ip route", "df -h", "lsblk", "date", "hostname", "uname -a", "systemctl status ollama", "ls --help"} {
		if d := judged(t, argvAction(strings.Fields(words)...), false); d.Verdict != Allow {
			t.Errorf("%s: %s by %s: %s", words, d.Verdict, d.Rule, d.Reason)
		}
	}
	for _, script := range []string{"if [ -f log.txt ]; then echo y; fi", "ls > out.txt 2>&1", "echo hi | cat"} {
		if d := judged(t, scriptAction(script), false); d.Verdict != Allow {
			t.Errorf("%s: %s by %s: %s", script, d.Verdict, d.Rule, d.Reason)
		}
	}
}
