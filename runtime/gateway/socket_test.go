package gateway

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSocketIsForItsOwner(t *testing.T) {
	if sock := os.Getenv("GATEWAY_TEST_SOCKET"); sock != "" {
		c := NewClient(Dial(sock))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // only a broken server takes it
		defer cancel()
		if _, err := Status.Ask(ctx, c, ""); (err == nil) != (os.Getenv("GATEWAY_TEST_SERVED") != "") {
			t.Fatalf("a process of uid %d: %v", os.Getuid(), err)
		}
		return
	}
	dir := t.TempDir()
	sock := filepath.Join(dir, "agent.sock")
	if err := os.WriteFile(sock, nil, 0o600); err != nil { // a dead one is in the way
		t.Fatal(err)
	}
	l, err := Listen(sock, OwnerOnly)
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(sock)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	s := NewServer(&echo{})
	go s.Serve(l) //nolint:errcheck // ends with Close
	defer s.Close()
	if st, err := Status.Ask(t.Context(), NewClient(Dial(sock)), ""); err != nil || st.Agent != "main" {
		t.Errorf("the owner: %+v, %v", st, err)
	}
	if os.Getuid() != 0 {
		return // only root can become somebody else; CI is root
	}
	if err := os.Chmod(sock, 0o666); err != nil { // whatever the mode became
		t.Fatal(err)
	}
	member := &syscall.Credential{Uid: 65534, Gid: 65534, Groups: []uint32{uint32(os.Getgid())}}
	stranger(t, dir, &syscall.Credential{Uid: 65534, Gid: 65534}, "GATEWAY_TEST_SOCKET="+sock)
	stranger(t, dir, member, "GATEWAY_TEST_SOCKET="+sock) // the group counts only where the agent says so
	group := filepath.Join(dir, "group.sock")
	open, err := Listen(group, OwnGroup)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(group); err != nil || st.Mode().Perm() != 0o660 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if err := os.Chmod(group, 0o666); err != nil {
		t.Fatal(err)
	}
	go s.Serve(open) //nolint:errcheck // ends with Close
	stranger(t, dir, &syscall.Credential{Uid: 65534, Gid: 65534}, "GATEWAY_TEST_SOCKET="+group)
	stranger(t, dir, member, "GATEWAY_TEST_SOCKET="+group, "GATEWAY_TEST_SERVED=yes")
}

// stranger runs this test as another user, who dials a socket.
func stranger(t *testing.T, dir string, as *syscall.Credential, env ...string) {
	for p := dir; p != "/tmp" && p != "/"; p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "self.test")
	if err := os.WriteFile(copied, data, 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(copied, "-test.run=^TestSocketIsForItsOwner$")
	c.Dir, c.Env = "/", env
	c.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestLongSocketPath(t *testing.T) {
	if _, err := Listen("/"+strings.Repeat("x", 107), OwnerOnly); !errors.Is(err, errPathTooLong) || !strings.Contains(err.Error(), "--state") {
		t.Error(err)
	}
}
