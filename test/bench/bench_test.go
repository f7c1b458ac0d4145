package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hardshell/runtime/model/modeltest"
)

// rssPromise is the resident memory that an idle agent may have.
const rssPromise = 20 << 20

// agent is a run of the built program against a fake server, in folders of its
// own.
func agent(tb testing.TB, s *modeltest.Server, dir string, args ...string) *exec.Cmd {
	tb.Helper()
	bin, err := filepath.Abs(filepath.Join("..", "..", "bin", "agent"))
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		tb.Fatalf("%v: run make build first", err)
	}
	policy, err := filepath.Abs(filepath.Join("..", "..", "deploy", "jetson", "policy.toml"))
	if err != nil {
		tb.Fatal(err)
	}
	workspace := filepath.Join(dir, "workspace")
	if err := os.MkdirAll(workspace, 0o755); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(bin, args...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "OLLAMA_HOST=" + s.URL, "HARDSHELL_STATE=" + filepath.Join(dir, "state"),
		"HARDSHELL_WORKSPACE=" + workspace, "HARDSHELL_POLICY=" + policy, "HARDSHELL_BOARD=sim", "HARDSHELL_MODEL=" + modeltest.DefaultModel,
	}
	return cmd
}

// chats is where a question arrives.
const chats = "/api/chat"

// start runs one question and gives the time from the start of the process to
// the arrival of its request, and the processor time of the whole run.
func start(tb testing.TB, s *modeltest.Server, dir string, n int) (took, cpu time.Duration) {
	tb.Helper()
	cmd := agent(tb, s, dir, "ask", "--new", "Hello")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	s.Await(chats, n)
	took = time.Since(begun)
	if err := cmd.Wait(); err != nil {
		tb.Fatalf("agent ask: %v\n%s", err, errs.String())
	}
	return took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// BenchmarkStart is the time from starting "agent ask" to its first request of
// the model: in the middle, at best, and, since a busy machine stretches both, the
// processor time of the whole question. The first start after a boot also probes
// the sandbox; it is left out.
func BenchmarkStart(b *testing.B) {
	s, dir := modeltest.New(b), b.TempDir()
	var all []time.Duration
	var cpu time.Duration
	start(b, s, dir, 1)
	for b.Loop() {
		took, used := start(b, s, dir, len(s.Bodies(chats))+1)
		all, cpu = append(all, took), cpu+used
	}
	slices.Sort(all)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(all[len(all)/2]), "ms/start")
	b.ReportMetric(ms(all[0]), "ms/best")
	b.ReportMetric(ms(cpu)/float64(len(all)), "cpu-ms/run")
}

// BenchmarkIdle is the resident memory of "agent serve" after one question.
func BenchmarkIdle(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(float64(idle(b))/(1<<20), "MB-rss")
	}
}

// settling bounds how long a serving agent may take to give back what its start left
// behind: it does so beside the first turn, and a busy machine holds it up.
const settling = 20 * time.Second

// idle gives the resident memory of a serving agent, in bytes: what is promised, or
// the last figure of one that does not come down to it.
func idle(tb testing.TB) int64 {
	tb.Helper()
	s, dir := modeltest.New(tb), tb.TempDir()
	cmd := agent(tb, s, dir, "serve")
	log, err := cmd.StderrPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	stop := context.AfterFunc(deadline(tb), func() { _ = cmd.Process.Kill() })
	defer func() {
		stop()
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}()
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), `"serving"`) {
	}
	if out, err := agent(tb, s, dir, "ask", "Hello").CombinedOutput(); err != nil {
		tb.Fatalf("agent ask: %v\n%s", err, out)
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for began := time.Now(); ; <-look.C {
		rss, err := resident(cmd.Process.Pid)
		if err != nil {
			tb.Fatal(err)
		}
		if rss <= rssPromise || time.Since(began) > settling {
			return rss
		}
	}
}

// deadline bounds a run that hangs.
func deadline(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

// resident reads a process's resident memory, in bytes.
func resident(pid int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("the status of process %d has no VmRSS", pid)
}

// TestIdleMemory holds the memory of a serving agent to what is promised. How
// fast it starts depends on the machine's mood, so that is a benchmark.
func TestIdleMemory(t *testing.T) {
	if rss := idle(t); rss > rssPromise {
		t.Errorf("an idle agent holds %.1f MB; %d are promised", float64(rss)/(1<<20), rssPromise>>20)
	}
}
