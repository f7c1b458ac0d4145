package policy

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"hardshell/policy/builtin"

	"github.com/google/go-cmp/cmp"
)

// world is a made-up machine that answers what Try names.
type world struct {
	files    map[string]string // absolute path to kind
	links    map[string]string // absolute path to target
	absent   []string          // programs that are not installed
	attended bool
	confined bool
	used     map[string][]time.Time
	roots    map[string]string
	gitRuns  []string
	rounds   int // look-ups that the last decision took
}

const work = "/home/lab/work"

// labWorld is the workspace of the tests, with the things around it that must
// stay out of reach.
func labWorld() *world {
	return &world{
		files: map[string]string{
			work: "dir", work + "/log.txt": "file", work + "/a.txt": "file", work + "/b c.txt": "file", work + "/in.txt": "file", work + "/a.tar": "file",
			work + "/notes": "dir", work + "/notes/board.md": "file", work + "/sub": "dir", work + "/sub/x.txt": "file", work + "/tone.wav": "file", work + "/hello.c": "file",
			work + "/run.sh": "file", work + "/.git": "dir", work + "/.git/config": "file", work + "/.env": "file",
			"/etc": "dir", "/etc/passwd": "file", "/etc/shadow": "file", "/etc/hostname": "file", "/tmp": "dir", "/srv/lab": "dir",
			"/srv/secret.txt": "file", "/var/lib/hardshell": "dir", "/var/lib/hardshell/hardshell.db": "file", "/etc/hardshell/policy.toml": "file",
			"/dev/gpiochip0": "device", "/dev/mem": "device", "/dev/sda": "device", "/dev/snd": "dir", "/dev/video0": "device", "/home/lab/.ssh/id_rsa": "file",
			"/proc/meminfo": "file", "/proc/1/environ": "file",
			"/sys/devices/virtual/thermal/thermal_zone0/temp": "file", "/home/lab/.config/agent/secrets/key": "file", "/home/lab": "dir",
		},
		links: map[string]string{
			work + "/etc": "/etc", work + "/out": "/tmp", work + "/draft.txt": "/tmp/not-yet", work + "/link.txt": "/srv/secret.txt", work + "/inside": work + "/log.txt",
			"/sys/class/thermal/thermal_zone0": "/sys/devices/virtual/thermal/thermal_zone0", work + "/mytouch": "/usr/bin/touch",
		},
		roots: map[string]string{
			"workspace": work, "docs": "/usr/share/hardshell/docs", "state": "/var/lib/hardshell", "skills": "/var/lib/hardshell/skills", "config": "/etc/hardshell", "home": "/home/lab",
		},
		absent: []string{"rm-rf", "doit", "[[", "function", "select", "time2"},
	}
}

// look resolves a path, links followed.
func (w *world) look(text string) Path {
	abs := text
	if !strings.HasPrefix(abs, "/") {
		abs = work + "/" + abs
	}
	real := ""
	for _, part := range strings.Split(strings.TrimPrefix(abs, "/"), "/") {
		switch part {
		case "", ".":
			continue
		case "..":
			real = path.Dir("/" + strings.TrimPrefix(real, "/"))
			if real == "/" {
				real = ""
			}
			continue
		}
		real += "/" + part
		for range 8 {
			target, ok := w.links[real]
			if !ok {
				break
			}
			real = target
		}
	}
	if real == "" {
		real = "/"
	}
	kind := w.files[real]
	_, link := w.links[path.Clean(abs)]
	return Path{Abs: path.Clean(abs), Real: real, Exists: kind != "", Link: link, Kind: kind}
}

// expand gives the files that a pattern matches.
func (w *world) expand(pattern string) []string {
	abs := pattern
	if !strings.HasPrefix(abs, "/") {
		abs = work + "/" + abs
	}
	var out []string
	for _, set := range []map[string]string{w.files, w.links} {
		for f := range set {
			if ok, _ := path.Match(abs, f); ok && !strings.HasPrefix(path.Base(f), ".") {
				out = append(out, strings.TrimPrefix(f, work+"/"))
			}
		}
	}
	slices.Sort(out)
	return out
}

// decide looks up what the policy asks for, and decides.
func (w *world) decide(t testing.TB, p *Policy, a Action) Decision {
	t.Helper()
	f := w.complete(t, p, a)
	d := p.Decide(a, f)
	if tried, missing := p.Try(a, f); missing.Empty() {
		if diff := cmp.Diff(d, tried); diff != "" {
			t.Fatalf("%s: trying decides otherwise (-decided +tried):\n%s", a.Subject(), diff)
		}
	}
	return d
}

// complete looks up what the policy asks for, as often as it asks.
func (w *world) complete(t testing.TB, p *Policy, a Action) Facts {
	t.Helper()
	f := Facts{
		Now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), Attended: w.attended, Confined: w.confined, Roots: w.roots, Used: w.used, GitRuns: w.gitRuns,
		Programs: map[string]Program{}, Paths: map[string]Path{}, Globs: map[string][]string{},
	}
	for w.rounds = 0; ; w.rounds++ {
		_, s := p.Try(a, f)
		if len(s.Programs)+len(s.Paths)+len(s.Globs) == 0 {
			break
		}
		if w.rounds > 6 {
			t.Fatalf("after %d rounds the policy still asks for %+v", w.rounds, s)
		}
		for _, word := range s.Programs {
			switch {
			case strings.HasPrefix(word, "/usr/bin/") || strings.HasPrefix(word, "/bin/") || strings.HasPrefix(word, "/sbin/"):
				f.Programs[word] = Program{Path: word, Real: word}
			case strings.Contains(word, "/"):
				l := w.look(word)
				f.Programs[word] = Program{Path: l.Abs, Real: l.Real, Writable: within(work, l.Abs) || !builtin.InSystem(l.Real), Hash: strings.Repeat("0", 64)}
			case !slices.Contains(w.absent, word):
				f.Programs[word] = Program{Path: "/usr/bin/" + word, Real: "/usr/bin/" + word}
			default:
				// A word that is not found has no entry; remember that it was asked.
				f.Programs[word] = Program{}
			}
		}
		for _, text := range s.Paths {
			f.Paths[text] = w.look(text)
		}
		for _, g := range s.Globs {
			f.Globs[g] = w.expand(g)
		}
	}
	for _, word := range w.absent {
		delete(f.Programs, word)
	}
	return f
}

func argvAction(argv ...string) Action {
	return Action{Tool: "exec", Kind: &Exec{Argv: argv, Cwd: work}}
}

func scriptAction(text string) Action {
	return Action{Tool: "exec", Kind: &Exec{Script: text, Cwd: work}}
}

// labPolicy is the shipped policy.
func labPolicy(t testing.TB) *Policy {
	t.Helper()
	src, err := os.ReadFile("../deploy/jetson/policy.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse("policy.toml", src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// toLookUp names what an action touches, before anything is known.
func toLookUp(p *Policy, a Action) Subjects {
	_, s := p.Try(a, Facts{})
	return s
}
