package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestItem19_ProcessesAreBoundedWithoutACgroup: as root without a cgroup a command that
// starts far more processes than it may have is ended, and is told why; one that stays
// below is not.
func TestItem19_ProcessesAreBoundedWithoutACgroup(t *testing.T) {
	if os.Geteuid() != 0 {
		return // the kernel itself counts the processes of an ordinary user
	}
	l := newLab(t)
	l.groups = func() *groups { return &groups{why: "a test without groups"} }
	l.cfg.Limits.Processes = 60
	out, x := l.sh(t, "i=0; while [ $i -lt 600 ]; do sleep 30 & i=$((i+1)); done; echo all", func(s *Spec) { s.Timeout = 20 * time.Second })
	if strings.Contains(out, "all") || x.TimedOut || len(x.Struck) != 1 || !strings.Contains(x.Struck[0], "exec.processes lets it have, 60") {
		t.Errorf("600 processes, 60 allowed: %q %+v", out, x)
	}
	out, x = l.sh(t, "i=0; while [ $i -lt 40 ]; do sleep 0.2 & i=$((i+1)); done; wait; echo all")
	if out != "all\n" || len(x.Struck) != 0 {
		t.Errorf("40 processes, 60 allowed: %q %+v", out, x)
	}
}

// TestItem19_SetIDBitsDontSurvive: however a command asks for them, no file of the
// workspace runs as its owner afterwards; other modes work.
func TestItem19_SetIDBitsDontSurvive(t *testing.T) {
	l := newLab(t)
	out, _ := l.sh(t, `cp /bin/true a; chmod 0755 a && echo plain; for m in 4755 2755 u+s g+s; do chmod $m a 2>/dev/null && echo "$m"; done
umask 0; mkdir -m 2777 d 2>/dev/null; install -m 4755 /bin/true b 2>/dev/null
command -v perl >/dev/null && perl -e 'sysopen(F, "c", 0101, 04755); chmod(04755, "a")' 2>/dev/null # O_CREAT|O_WRONLY: Fcntl is not everywhere
: > e; cat e; echo done`)
	if out != "plain\ndone\n" {
		t.Errorf("a command says %q", out)
	}
	err := filepath.WalkDir(l.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
