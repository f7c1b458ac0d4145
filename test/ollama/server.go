package ollama

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ollama/ollama/api"
)

// StartLimit is how long a new server may take until it answers.
const StartLimit = 30 * time.Second

// Options say how to start a server.
type Options struct {
	Program string // the ollama program
	Dir     string // holds models, home and log; made when missing
	// Detached lets the server outlive this process; it is then stopped by Stop
	// in a later one. Otherwise it ends with this process.
	Detached bool
	Env      []string // more settings, as NAME=value
}

// Server is a server that this package started.
type Server struct {
	Host string `json:"host"` // http://127.0.0.1:PORT
	PID  int    `json:"pid"`
	Log  string `json:"log"` // the file that it writes to

	done chan struct{} // closed when the process has ended; nil for a found one
}

// Start runs a server and waits until it answers.
func Start(ctx context.Context, o Options) (*Server, error) {
	home := filepath.Join(o.Dir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, fmt.Errorf("folder for the server: %w", err)
	}
	prune(o.Dir, time.Now().Add(-24*time.Hour))
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Server{
		Host: fmt.Sprintf("http://127.0.0.1:%d", port),
		Log:  filepath.Join(o.Dir, fmt.Sprintf("server-%d.log", port)),
		done: make(chan struct{}),
	}
	log, err := os.Create(s.Log)
	if err != nil {
		return nil, fmt.Errorf("log of the server: %w", err)
	}
	defer log.Close()

	cmd := exec.Command(o.Program, "serve")
	cmd.Env = append(environment(os.Environ(), home),
		"OLLAMA_HOST="+strings.TrimPrefix(s.Host, "http://"),
		"OLLAMA_MODELS="+filepath.Join(o.Dir, "models"),
		"OLLAMA_DEBUG=1", "OLLAMA_KEEP_ALIVE=30m", "OLLAMA_NUM_PARALLEL=1", "OLLAMA_NOPRUNE=1")
	cmd.Env = append(cmd.Env, o.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	// A group of its own, so that a Ctrl-C at the terminal reaches us first.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if !o.Detached {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Program, err)
	}
	s.PID = cmd.Process.Pid
	go func() {
		defer close(s.done)
		_ = cmd.Wait() // its exit status says nothing that the log does not
	}()
	if err := s.ready(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// prune removes logs that nobody has written to since before.
func prune(dir string, before time.Time) {
	logs, err := filepath.Glob(filepath.Join(dir, "server-*.log"))
	if err != nil { // the pattern is ours
		panic("ollama: internal error: " + err.Error())
	}
	for _, log := range logs {
		if info, err := os.Stat(log); err == nil && info.ModTime().Before(before) {
			os.Remove(log)
		}
	}
}

// ready waits until the server answers, has ended, or takes too long.
func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, StartLimit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := s.Client().Heartbeat(ctx); err == nil {
			return nil
		}
		select {
		case <-s.done:
			return fmt.Errorf("the server ended at once; its log is %s", s.Log)
		case <-ctx.Done():
			return fmt.Errorf("the server at %s does not answer within %s; its log is %s", s.Host, StartLimit, s.Log)
		case <-tick.C:
		}
	}
}

// Client talks to the server.
func (s *Server) Client() *api.Client { return client(s.Host) }

// client talks to a server by its address.
func client(host string) *api.Client {
	u, err := url.Parse(host)
	if err != nil { // the address is one that we made or checked
		panic("ollama: internal error: " + err.Error())
	}
	return api.NewClient(u, http.DefaultClient)
}

// Stop ends the server and its runners, and waits until they are gone.
func (s *Server) Stop() {
	if s == nil || s.PID == 0 {
		return
	}
	signal := func(sig syscall.Signal) { _ = syscall.Kill(-s.PID, sig) } // gone already: fine
	signal(syscall.SIGTERM)
	if !s.gone(5 * time.Second) {
		signal(syscall.SIGKILL)
		s.gone(5 * time.Second)
	}
	s.PID = 0
}

// gone waits until the server's process has ended.
func (s *Server) gone(limit time.Duration) bool {
	if s.done != nil {
		select {
		case <-s.done:
			return true
		case <-time.After(limit):
			return false
		}
	}
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if !alive(s.PID) {
			return true
		}
	}
	return false
}

// alive reports whether a process runs.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// environment keeps what a program needs of env, without any setting of another
// server and with a home of its own: the server keeps a key pair there.
func environment(env []string, home string) []string {
	kept := []string{"HOME=" + home}
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if name != "HOME" && !strings.HasPrefix(name, "OLLAMA_") {
			kept = append(kept, e)
		}
	}
	return kept
}

// freePort finds a port that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
