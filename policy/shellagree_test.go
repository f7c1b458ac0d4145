package policy

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// soup are pieces from which random scripts are made: whatever could make a
// parser and a shell disagree about where a command begins.
var soup = []string{
	"zap", "zap", "echo a", "cat", "true", "\n", "\n", ";", " ", " ", "&&", "||", "|", "&", "#", "\\", "\\\n", "'", "\"", "`", "$(", ")", "(", "{ ", "; }", "$((", "))",
	"<<E\n", "<<'E'\n", "<<-E\n", "\nE\n", "\n\tE\n", "E", "if ", "then ", "else ", "fi", "for i in ", "do ", "done", "case a in ", "a) ", ";;", "esac", "$X", "${X", "}", "X=", ">", ">>", "<", "2>&1", ">o",
	"echo 'zap'", "# zap\n", "# zap \\\n", "echo \"zap\"", "echo \\\nzap", "cat <<E\nzap\nE\n", "cat <<'E'\nzap\nE\n", "cat <<-E\n\tzap\n\tE\n", "echo $(echo zap)", "X=zap;", "echo \"$X\"", "echo `echo zap`",
	"case zap in zap) echo b;; esac\n", "for i in zap; do echo \"$i\"; done\n", "{ echo zap; }\n", "( echo zap )\n", "if true; then echo zap; fi\n", "echo ${X#zap}", "echo $((1+1))zap", "echo a;echo zap", "echo zap&",
	"*", "[", "]", "~", "=", "!", "$", "$'", "\\'", "\\\"", "\\`", "\\$", "\t", "-", ":", "EOF", "${X#", "${X:-", "%", "é", "0", "1", "in", "za", "p",
}

// roundsOfAgreement is how many random scripts are tried; more were tried by hand.
const roundsOfAgreement = 6000

// TestShellAgrees makes random scripts, asks a policy that knows echo, cat and
// true, and runs what it allows in the system's shell: no canary may appear.
func TestShellAgrees(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	tried := []string{sh}
	if bash, err := exec.LookPath("bash"); err == nil { // sh -c may be bash elsewhere
		tried = append(tried, bash)
	}
	p, err := Parse("agree.toml", []byte(`
version = 1
[[file]]
root = "workspace"
ops = ["read", "write"]
why = "test"
[[exec]]
argv = [["echo", "cat", "true"], "{text...}"]
why = "test"
`))
	if err != nil {
		t.Fatal(err)
	}
	rounds := roundsOfAgreement
	r := rand.New(rand.NewPCG(7, 9))
	dir, bin, ran := t.TempDir(), t.TempDir(), 0
	canary := filepath.Join(bin, "canary")
	if err := os.WriteFile(filepath.Join(bin, "zap"), []byte("#!"+sh+"\n: > '"+canary+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range rounds {
		var b strings.Builder
		for range 2 + r.IntN(12) {
			b.WriteString(soup[r.IntN(len(soup))])
		}
		script := b.String()
		if labWorld().decide(t, p, scriptAction(script)).Verdict != Allow || !strings.Contains(script, "z") {
			continue
		}
		ran++
		for _, shell := range tried {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // a loop may be endless
			cmd := exec.CommandContext(ctx, shell, "-c", script)
			cmd.Dir, cmd.Env = dir, []string{"PATH=" + bin + ":/usr/bin:/bin"}
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
			_ = cmd.Run() // how it ends does not matter
			cancel()
			if _, err := os.Stat(canary); err == nil {
				t.Fatalf("%s ran a program that the policy did not see:\n%q", shell, script)
			}
		}
	}
	if ran == 0 {
		t.Fatal("no script was allowed, so nothing was compared")
	}
	t.Logf("%d scripts ran", ran)
}
