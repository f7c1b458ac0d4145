package sandbox

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// attack is a thing that must not work. The script prints OUT when it got out;
// want, if set, must stand in the output as well.
type attack struct{ name, script, want string }

// attacks are run in a lab where SECRET is a file outside, STATE the agent's own
// folder inside the workspace, PORT a listening port of the machine, AGENT the pid
// of this test.
var attacks = []attack{
	{"write outside", `echo x > OUTSIDE/w && echo OUT; ls OUTSIDE 2>&1`, "No such file"},
	{"read outside", `cat SECRET && echo OUT`, ""},
	{"read outside through a link", `ln -s SECRET l; cat l && echo OUT; rm l`, ""},
	{"hard link to outside", `ln SECRET l && echo OUT`, ""},
	{"climb out of the workspace", `cat ../outside/secret ../../../../../../SECRET && echo OUT`, ""},
	{"write to the system", `echo x > /usr/bin/x && echo OUT; echo x > /etc/passwd && echo OUT; mkdir /x && echo OUT`, "Read-only"},
	{"private tmp", `echo x > /tmp/canary-sandbox; cat /tmp/canary-sandbox`, "x"},
	{"state", `cat STATE/key && echo OUT; ls -la STATE && echo OUT; cd STATE && echo OUT`, ""},
	{"state by a relative name", `cat ./state/key && echo OUT; cat state/../state/key && echo OUT`, ""},
	{"state by a new mount name", `mv state s2 && cat s2/key && echo OUT`, ""},
	{"root of process 1", `ls /proc/1/root/ && echo OUT; cat /proc/1/environ && echo OUT; cat /proc/1/root/SECRET && echo OUT`, ""},
	{"memory of process 1", `head -c 1 /proc/1/mem && echo OUT; ls -l /proc/1/exe && echo OUT; ls -l /proc/1/fd/ && echo OUT`, ""},
	{"environment of the agent", `env | grep -c CANARY_ENV && echo OUT; cat /proc/*/environ 2>/dev/null | grep -a CANARY_ENV && echo OUT`, ""},
	{"other processes", `ls -d /proc/[0-9]* | wc -l; kill -0 AGENT && echo OUT; test -d /proc/AGENT && echo OUT`, ""},
	{"signal all", `kill -9 -1; test $$ -gt 1 && echo here`, "here"},
	{"descriptors", `ls /proc/self/fd | tr '\n' ' '; for f in 3 4 5 6 7; do (echo x >&$f) 2>/dev/null && echo OUT; done; echo end`, "0 1 2 3 end"},
	{"loopback", `python3 -c 'import socket; socket.create_connection(("127.0.0.1", PORT), 2); print("OUT")'`, ""},
	{"interfaces", `cat /proc/net/dev | grep -c : `, "1"},
	{"vsock and packet sockets", `python3 -c 'import socket
for f in (40, 17, 38, 31, 44):
  try: socket.socket(f, socket.SOCK_RAW); print("OUT", f)
  except PermissionError: pass'`, ""},
	{"device list", `ls /dev | tr '\n' ' '`, "fd full null random shm stderr stdin stdout urandom zero "},
	{"disk and memory nodes", `for d in /dev/mem /dev/kmem /dev/sda /dev/vda /dev/gpiochip0 /dev/i2c-1 /dev/kmsg /dev/tty; do test -e $d && echo OUT $d; done; true`, ""},
	{"nodes of one's own", `mknod d c 1 1 && echo OUT; mknod /tmp/d b 254 0 && echo OUT; true`, ""},
	{"nested namespaces", `unshare -U true && echo OUT; unshare -r -m true && echo OUT; unshare -n true && echo OUT; true`, ""},
	{"mount", `mount -t tmpfs none /tmp && echo OUT; mount --bind / /tmp && echo OUT; umount /proc && echo OUT; mount -o remount,rw / && echo OUT; true`, ""},
	{"chroot", `chroot . true && echo OUT; true`, ""},
	{"set-user-id", `cp /bin/sh s; chmod 4755 s; ./s -c 'echo OUT'; find / -xdev -perm -4000 -exec {} --version \; 2>/dev/null | head -n 0; true`, ""},
	{"capabilities", `grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | grep -v 0000000000000000 && echo OUT; true`, ""},
	{"no new privileges and the filter", `grep -E 'NoNewPrivs|Seccomp:' /proc/self/status | tr -d '\t\n'`, "NoNewPrivs:1Seccomp:2"},
	{"kernel settings", `echo 1 > /proc/sys/kernel/sysrq && echo OUT; echo b > /proc/sysrq-trigger && echo OUT; echo x > /proc/sys/kernel/hostname && echo OUT; echo x > /proc/sys/kernel/core_pattern && echo OUT; true`, ""},
	{"sysfs", `ls /sys 2>&1; test -e /sys/class && echo OUT; true`, "No such file"},
	{"kernel log", `dmesg && echo OUT; true`, ""},
	{"trace", `python3 -c 'import ctypes,os
l = ctypes.CDLL(None, use_errno=True)
if l.ptrace(16, 1, 0, 0) == 0: print("OUT")
if l.ptrace(0, 0, 0, 0) == 0: print("OUT")'`, ""},
	{"io_uring, bpf, userfaultfd, keys, memory files", `python3 -c 'import ctypes
l = ctypes.CDLL(None, use_errno=True)
for n in (425, 321, 323, 250, 248, 319, 447): 
  if l.syscall(n, 0, 0, 0, 0, 0) >= 0: print("OUT", n)
  elif ctypes.get_errno() not in (1, 38): print("OUT errno", n, ctypes.get_errno())'`, ""},
	{"calls that are newer than the filter", `python3 -c 'import ctypes
l = ctypes.CDLL(None, use_errno=True)
for n in range(467, 600):
  if l.syscall(n, 0, 0, 0, 0, 0) >= 0 or ctypes.get_errno() != 38: print("OUT", n, ctypes.get_errno())'`, ""},
	{"terminal", `python3 -c 'import fcntl
try: fcntl.ioctl(0, 0x5412, b"x"); print("OUT")
except OSError as e: print("errno", e.errno)'; test -t 0 && echo OUT; tty; true`, "errno 1\nnot a tty"},
	{"copied program", `cp /bin/echo e; ./e OUT; cp /bin/echo /tmp/e; /tmp/e OUT; true`, ""},
	{"copied program through the loader", `cp /bin/echo e; $(ls /lib64/ld-linux-* /lib/ld-linux-* 2>/dev/null | head -n 1) ./e OUT; true`, ""},
	{"script of one's own", `printf '#!/bin/sh\necho OUT\n' > s.sh; chmod 755 s.sh; ./s.sh; true`, ""},
	{"big file", `head -c 50000000 /dev/zero > big; s=$(stat -c %s big); rm big; test $s -le 16777216 || echo OUT; true`, ""},
	{"full tmp", `head -c 16000000 /dev/zero > /tmp/a; head -c 16000000 /dev/zero > /tmp/b; test $(cat /tmp/a /tmp/b | wc -c) -le 20000000 || echo OUT; true`, ""},
	{"core files", `ulimit -c; ulimit -n`, "0\n1024"},
	{"memory of a process", `while test "$(ulimit -Hd)" = unlimited; do :; done; ulimit -d unlimited 2>/dev/null && echo OUT; ulimit -d; ulimit -Hd`, "2097152\n2097152"},
	{"workspace works", `mkdir -p a/b && echo ok > a/b/c && mv a/b/c d && cat d && rm -r a d && pwd`, "ok\nWORKSPACE"},
	{"groups", `cat /proc/self/cgroup | grep -v ':/$' && echo OUT; ls -d /sys/fs/cgroup 2>/dev/null && echo OUT; grep cgroup /proc/self/mountinfo && echo OUT; mount -t cgroup2 none /tmp && echo OUT; true`, ""},
	{"no listener and no door", `ls -l /proc/self/fd /proc/$$/fd | grep -E 'seccomp|socket|anon_inode|memfd' && echo OUT; ls -l /proc/1/fd && echo OUT; true`, ""},
	{"answering one's own starts", `python3 -c 'import fcntl, struct
for fd in range(3, 64):
  for what in (0xc0502100, 0xc0182101, 0x40082102, 0x40182103):
    try: fcntl.ioctl(fd, what, bytes(80)); print("OUT", fd)
    except OSError as e:
      if e.errno not in (9, 25): print("OUT errno", fd, e.errno)'`, ""},
	{"the holder's memory limit and priority", `echo -1000 > /proc/self/oom_score_adj && echo OUT; echo 0 > /proc/1/oom_score_adj && echo OUT; true`, ""},
	{"nothing of another command", `ls -A /tmp | grep -v -x -e canary-sandbox -e 'Test.*' -e 'ordinary-.*' -e a -e b && echo OUT; cat /dev/shm/note 2>/dev/null && echo OUT; echo OUT > /dev/shm/note; true`, ""},
	{"pipes and here-documents work", `printf 'b\na\n' | sort | head -n 1; cat <<E >/dev/null
x
E
echo done > /dev/stderr; date > /dev/null`, "a\ndone"},
}

// attackLab has everything that attacks look for.
func attackLab(t *testing.T, change ...func(*Launcher)) (*lab, *strings.Replacer) {
	t.Helper()
	top := t.TempDir()
	for _, d := range []string{"ws/state", "outside"} {
		if err := os.MkdirAll(filepath.Join(top, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"ws/state/key", "outside/secret"} {
		if err := os.WriteFile(filepath.Join(top, f), []byte("OUT\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := New(Config{Workspace: filepath.Join(top, "ws"), Hidden: []string{filepath.Join(top, "ws/state")}, Limits: Limits{FileSize: 16 << 20, Tmp: 20_000_000}, Spare: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close) // each attack but the first gets a box that was ready
	for _, c := range change {
		c(l)
	}
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { port.Close() })
	_, number, _ := net.SplitHostPort(port.Addr().String())
	t.Setenv("CANARY_ENV", "1")
	stray, err := unix.Dup(1) // a descriptor that is passed on unless somebody cares
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(stray) })
	return &lab{Launcher: l, dir: l.cfg.Workspace}, strings.NewReplacer(
		"SECRET", filepath.Join(top, "outside/secret"), "OUTSIDE", filepath.Join(top, "outside"), "STATE", filepath.Join(l.cfg.Workspace, "state"),
		"PORT", number, "AGENT", strconv.Itoa(os.Getpid()), "WORKSPACE", l.cfg.Workspace)
}

func runAttacks(t *testing.T, l *lab, fill *strings.Replacer) {
	t.Helper()
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			out, x := l.sh(t, fill.Replace(a.script))
			if strings.Contains(out, "OUT") || !strings.Contains(out, fill.Replace(a.want)) {
				t.Errorf("got out, or %q is missing:\n%s%+v", fill.Replace(a.want), out, x)
			}
		})
	}
	if _, err := os.Stat("/tmp/canary-sandbox"); err == nil {
		t.Error("/tmp is not private")
	}
}

func TestEscapes(t *testing.T) {
	l, fill := attackLab(t)
	runAttacks(t, l, fill)
}

// TestEscapesWithoutLandlock is the case of the Jetson's own kernels.
func TestEscapesWithoutLandlock(t *testing.T) {
	l, fill := attackLab(t, func(l *Launcher) { l.noLandlock = true })
	_, x := l.sh(t, "true")
	diff(t, "layers", strings.Contains(strings.Join(x.Layers, " "), layerLandlock), false)
	runAttacks(t, l, fill)
}

// TestAsOrdinaryUser runs the suite anew as a user without any privilege.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		return // it is one already
	}
	dir, err := os.MkdirTemp("/tmp", "ordinary-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", "^(TestEscapes|TestEscapesWithoutLandlock|TestRun.*|TestCase.*|TestFloodIsEnded|TestContext.*|TestCommandCantEndItsHolder|TestWhatIs.*|TestWeaker.*)$")
	cmd.Env = []string{"TMPDIR=" + dir, "PATH=/usr/bin:/bin"}
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1234, Gid: 1234}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as user 1234: %v\n%s", err, out)
	}
}
