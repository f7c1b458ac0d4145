package policy

import (
	"fmt"
	"strings"
	"testing"

	"hardshell/policy/argv"
)

// judged decides under the lab policy, in its own world.
func judged(t *testing.T, a Action, attended bool) Decision {
	t.Helper()
	w := labWorld()
	w.attended = attended
	return w.decide(t, labPolicy(t), a)
}

func denied(t *testing.T, rule string, actions ...Action) {
	t.Helper()
	for _, a := range actions {
		if d := judged(t, a, true); d.Verdict != Deny || rule != "" && d.Rule != rule {
			t.Errorf("%.100q: %s by %s, want deny by %q: %s", text(a), d.Verdict, d.Rule, rule, d.Reason)
		}
	}
}

func allowed(t *testing.T, actions ...Action) {
	t.Helper()
	for _, a := range actions {
		if d := judged(t, a, false); d.Verdict != Allow {
			t.Errorf("%q: %s by %s: %s", text(a), d.Verdict, d.Rule, d.Reason)
		}
	}
}

func TestCase098_EveryCommandOfAChain(t *testing.T) {
	for _, op := range []string{"&&", ";", "||", "|", "&", "\n"} {
		denied(t, "builtin.outside", scriptAction("date "+op+" touch /tmp/canary-a"))
	}
	allowed(t, scriptAction("date && ls; uptime || id | wc -l"))
}

func TestCase100_ComputedProgram(t *testing.T) {
	denied(t, "builtin.computed", scriptAction(`$(echo to""uch) /tmp/canary-c`), scriptAction("`echo touch` /tmp/canary-c"), scriptAction("T=touch; $T /tmp/canary-c"))
}

func TestCase101_WrappersAreOpened(t *testing.T) {
	denied(t, "builtin.outside", argvAction("env", "-i", "sh", "-c", "touch /tmp/canary-d"))
	allowed(t, argvAction("env", "-i", "sh", "-c", "touch canary-d"))
}

func TestCase103_FlagOrder(t *testing.T) {
	denied(t, "builtin.outside", argvAction("rm", "-fr", "/srv/lab"), argvAction("rm", "-r", "-f", "-v", "/srv/lab"), argvAction("rm", "--recursive", "--force", "/srv/lab"))
	allowed(t, argvAction("rm", "-r", "./build"))
}

func TestCase104_FlagsThatWriteOrRun(t *testing.T) {
	denied(t, "", argvAction("sort", "--compress-program=./x", "-S1k", "in.txt"), argvAction("sort", "-o", "/tmp/o", "in.txt"), argvAction("find", ".", "-fls", "/tmp/o"),
		argvAction("tar", "xfC", "a.tar", "/tmp"), argvAction("git", "grep", "-O./x", "word"))
	allowed(t, argvAction("sort", "in.txt"), argvAction("find", ".", "-name", "*.go"))
}

func TestCase106_ExpansionAfterTheCheck(t *testing.T) {
	denied(t, "", scriptAction("wc${IFS}-l${IFS}/etc/passwd"), scriptAction("tail -n $X log"), scriptAction("cat {/etc/passwd,x}"))
	// In argv nothing expands, so such a word is only an odd file name.
	allowed(t, argvAction("cat", "{/etc/passwd,x}"), argvAction("wc", "$X"))
}

func TestCase107_PartsAreCounted(t *testing.T) {
	denied(t, "builtin.outside", scriptAction(strings.Repeat("true; ", 60)+"touch /tmp/canary-f"))
	denied(t, "builtin.size", scriptAction(strings.Repeat("true; ", 100)+"touch /tmp/canary-f"), scriptAction(strings.Repeat("true; ", 5000)+"touch /tmp/canary-f"),
		scriptAction(strings.Repeat("true; ", 100)), argvAction("sh", "-c", strings.Repeat("true;", 100)))
}

func TestCase109_NormalCommandsPass(t *testing.T) {
	allowed(t, scriptAction("find . -name x 2>/dev/null"), scriptAction(`echo "${USER:-none}"`))
}

// A broken denial is never skipped: the file is refused with the place, and what is
// left without one lets no command run.
func TestCase110_BrokenDenyRule(t *testing.T) {
	src := "version = 1\nunlisted = \"ask\"\n[[file]]\npath = \"/srv/([\"\nops = [\"read\"]\nverdict = \"deny\"\nwhy = \"secrets of the rig\"\n"
	p, err := Parse("policy.toml", []byte(src))
	if p != nil || err == nil || !strings.Contains(err.Error(), "policy.toml:4:8: \"/srv/([\" is no path pattern") {
		t.Errorf("%v %v", p, err)
	}
	_, err = Parse("policy.toml", []byte("version = 1\n[[exec]]\nargv = [\"cat\", \"{path:read [}\"]\nverdict = \"deny\"\nwhy = \"w\"\n"))
	if err == nil || !strings.Contains(err.Error(), "\"[\" is no name pattern") {
		t.Error(err)
	}
	if d := labWorld().decide(t, Builtin(), argvAction("ls")); d.Verdict != Deny || !strings.Contains(d.Reason, "there is no policy file") {
		t.Errorf("%+v", d)
	}
}

func TestCase112_DenyBeatsAllow(t *testing.T) {
	p, err := Parse("p.toml", []byte("version = 1\n[[exec]]\nargv = [\"jq\", \"{rest...}\"]\nwhy = \"w\"\n[[exec]]\nid = \"jq.env\"\nargv = [\"jq\", \"-n\", \"env\"]\nverdict = \"deny\"\nwhy = \"the environment stays private\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	e := Action{Kind: &Exec{Argv: []string{"jq", "-n", "env"}}}
	if d := labWorld().decide(t, p, e); d.Verdict != Deny || d.Rule != "exec.jq.env" {
		t.Errorf("%+v", d)
	}
	e.Command().Argv[2] = "1"
	if d := labWorld().decide(t, p, e); d.Verdict != Allow {
		t.Errorf("%+v", d)
	}
}

func TestCase113_OwnDaemon(t *testing.T) {
	denied(t, "builtin.process", argvAction("kill", "4242"), argvAction("kill", "--", "-4242"), argvAction("bash", "-c", "pkill hardshell"), scriptAction("kill $(pidof hardshell)"))
	denied(t, "builtin.power", argvAction("systemctl", "stop", "hardshell"), argvAction("systemctl", "--user", "kill", "hardshell"))
	if d := judged(t, argvAction("kill", "1"), true); d.Hint == "" {
		t.Error("a hint must name the way")
	}
}

func TestCase115_Sudo(t *testing.T) {
	denied(t, "builtin.escalate", argvAction("sudo", "apt-get", "install", "figlet"), scriptAction("sudo ls"))
	src := "version = 1\nunlisted = \"ask\"\n[[waive]]\nrule = \"builtin.escalate\"\nwhy = \"for the test\"\n"
	p, err := Parse("p.toml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	w := labWorld()
	w.attended = true
	if d := w.decide(t, p, Action{Kind: &Exec{Argv: []string{"sudo", "ls"}}}); d.Verdict != Ask {
		t.Errorf("with the rule waived a person is asked: %+v", d)
	}
}

func TestCase116_Interactive(t *testing.T) {
	denied(t, "builtin.interactive", argvAction("less", "big.log"), argvAction("vim", "x"))
	denied(t, "builtin.net", argvAction("ssh", "lab@192.0.2.10"))
	denied(t, "exec.installs", argvAction("apt-get", "install", "figlet"))
	a := argvAction("git", "rebase", "-i", "HEAD~2")
	if alone, attended := judged(t, a, false), judged(t, a, true); alone.Verdict != Deny || attended.Verdict != Ask {
		t.Errorf("%q: alone %s, with a person %s", text(a), alone.Verdict, attended.Verdict)
	}
}

// TestCase131_NobodyPresent decides at once and says so.
func TestCase131_NobodyPresent(t *testing.T) {
	d := judged(t, argvAction("python3", "plot.py"), false)
	if d.Verdict != Deny || d.Rule != "exec.python3" || !strings.Contains(d.Reason, "nobody is present") {
		t.Errorf("%+v", d)
	}
	if d = judged(t, argvAction("python3", "plot.py"), true); d.Verdict != Ask || strings.Contains(d.Reason, "nobody") {
		t.Errorf("%+v", d)
	}
}

// TestWaits adds up what a command waits.
func TestWaits(t *testing.T) {
	denied(t, "builtin.wait", argvAction("sleep", "31"), argvAction("sleep", "10", "21"), argvAction("sleep", "1m"), argvAction("sleep", "infinity"), argvAction("sleep", "nan"), argvAction("sleep", "-1"), argvAction("sleep", "30.5"),
		scriptAction("sleep 20; sleep 20"), scriptAction("for i in 1 2 3 4; do sleep 10; done"), scriptAction("while true; do sleep 1; done"))
	allowed(t, argvAction("sleep", "30"), scriptAction("sleep 10; sleep 20"), scriptAction("for i in 1 2 3; do sleep 10; done"))
	background := argvAction("sleep", "300")
	background.Command().Background = true
	allowed(t, background)
}

// TestWriteBeyondTheLimits gives more than is judged, in each direction.
func TestWriteBeyondTheLimits(t *testing.T) {
	huge := make([]string, argv.MaxWords+1)
	for i := range huge {
		huge[i] = "x"
	}
	huge[0] = "echo"
	denied(t, "builtin.size", argvAction(huge...), argvAction("echo", strings.Repeat("x", maxBytes)), argvAction("echo", "a\x00b"), scriptAction("echo "+strings.Repeat("x", 16_384)),
		argvAction(append(strings.Fields(strings.Repeat("nice ", maxDepth+1)), "ls")...),
		scriptAction(strings.Repeat("for i in 1; do ", 4+1)+"ls; "+strings.Repeat("done; ", 4+1)),
		scriptAction(strings.Repeat("for a in 1 2 3 4 5 6 7 8; do ", 1)+"for b in 1 2 3 4 5 6 7 8; do for c in 1 2 3 4 5 6 7 8; do for d in 1 2 3 4 5 6 7 8; do echo $a $b $c $d; done; done; done; done"))
	many := labWorld()
	for i := range 300 {
		many.files[fmt.Sprintf("%s/x%d", work, i)], many.files[fmt.Sprintf("%s/y%d", work, i)] = "file", "file"
	}
	eight := "in 1 2 3 4 5 6 7 8; do "
	for _, a := range []Action{
		scriptAction("ls *"), scriptAction("for f in x* y*; do echo 1; done"),
		argvAction(append(strings.Fields(strings.Repeat("nice ", maxDepth)), "sh", "-c", "ls")...),
		scriptAction("for a " + eight + "for b " + eight + "for c " + eight + strings.Repeat("echo $a $b $c; ", 5) + "done; done; done"),
	} {
		if d := many.decide(t, labPolicy(t), a); d.Verdict != Deny || d.Rule != "builtin.size" {
			t.Errorf("%.80q: %s by %s: %s", text(a), d.Verdict, d.Rule, d.Reason)
		}
	}
	stdin := argvAction("cat")
	stdin.Command().Stdin = strings.Repeat("x", maxBytes)
	denied(t, "builtin.size", stdin)
	allowed(t, argvAction("echo", strings.Repeat("x", 9000)))
}

// TestEnvironment tries variables for a command.
func TestEnvironment(t *testing.T) {
	for _, tt := range []struct {
		env  string
		want Verdict
	}{
		{"LANG=C", Allow},
		{"LC_ALL=C.UTF-8", Allow},
		{"TZ=Europe/Berlin", Allow},
		{"NO_COLOR=1", Allow},
		{"TZ=/etc/shadow", Deny},
		{"TZ=:/etc/shadow", Deny},
		{"LANG=../x", Deny},
		{"PATH=.", Deny},
		{"LD_PRELOAD=x", Deny},
		{"FOO=1", Deny},
		{"BASH_ENV=x", Deny},
		{"IFS=x", Deny},
		{"GIT_PAGER=x", Deny},
		{"novalue", Deny},
		{"=x", Deny},
		{"LD_AUDIT=x", Deny},
		{"GREP_OPTIONS=-f", Deny},
		{"HOME=/x", Deny},
	} {
		a := argvAction("ls")
		a.Command().Env = []string{tt.env}
		if d := judged(t, a, true); d.Verdict != tt.want {
			t.Errorf("%s: %s by %s", tt.env, d.Verdict, d.Rule)
		}
	}
}

// TestEnvironmentReasons tells a name that is never given from one that the
// operator can add.
func TestEnvironmentReasons(t *testing.T) {
	for env, want := range map[string]string{"PATH=.": `"PATH" changes which programs run`, "FOO=1": `"FOO" is not among the variables that commands may be given`} {
		a := argvAction("ls")
		a.Command().Env = []string{env}
		if d := judged(t, a, true); d.Reason != want {
			t.Errorf("%s: %s", env, d.Reason)
		}
	}
}

// TestCwd judges the folder that a command runs in.
func TestCwd(t *testing.T) {
	for dir, want := range map[string]Verdict{work: Allow, work + "/sub": Allow, "/srv": Deny, "/var/lib/hardshell": Deny, work + "/out": Deny, "": Allow} {
		a := argvAction("pwd")
		a.Command().Cwd = dir
		if d := judged(t, a, false); d.Verdict != want {
			t.Errorf("%q: %s by %s: %s", dir, d.Verdict, d.Rule, d.Reason)
		}
	}
}
