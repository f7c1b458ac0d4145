package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// onlyPrograms lets programs of a few names start.
func onlyPrograms(names ...string) func(Start) error {
	return func(s Start) error {
		if slices.Contains(names, filepath.Base(s.Program)) {
			return nil
		}
		return fmt.Errorf("%s is not in the list", filepath.Base(s.Program))
	}
}

// supervised is a lab whose kernel lets starts be judged; nil where it does not.
func supervised(t *testing.T) *lab {
	l := newLab(t)
	_, x := l.sh(t, "true", func(s *Spec) { s.Judge = onlyPrograms() })
	switch has, hasNot := slices.Contains(x.Layers, layerStarts), slices.Contains(x.Layers, layerNoStarts); {
	case has == hasNot:
		t.Fatalf("the layers don't say whether starts are judged: %v", x.Layers)
	case hasNot:
		return nil
	}
	return l
}

// TestStartsAreJudgedDeepInTheTree starts programs by every road there is.
func TestStartsAreJudgedDeepInTheTree(t *testing.T) {
	l := supervised(t)
	if l == nil {
		return
	}
	sh := filepath.Base(real(t, "/bin/sh"))
	few := []string{sh, "env", "xargs", "cat", "ls", "nice", "true", "setsid", "ln"}
	if p, err := filepath.EvalSymlinks("/usr/bin/python3"); err == nil {
		few = append(few, filepath.Base(p))
	}
	for name, script := range map[string]string{
		"plain":             `id && echo OUT; true`,
		"deep":              `sh -c 'sh -c "sh -c \"id && echo OUT\""'; true`,
		"absolute":          `/usr/bin/id && echo OUT; true`,
		"relative":          `cd /usr/bin && ./id && echo OUT; cd /usr && bin/../bin/id && echo OUT; true`,
		"through a link":    `ln -s /usr/bin/id cat; ./cat && echo OUT; PATH=. cat && echo OUT; true`,
		"through proc":      `/proc/self/root/usr/bin/id && echo OUT; true`,
		"env":               `env id && echo OUT; true`,
		"xargs":             `echo | xargs id && echo OUT; true`,
		"exec":              `(exec id) && echo OUT; true`,
		"a session apart":   `setsid sh -c 'nice id && echo OUT' | cat; true`,
		"the loader":        `$(ls /lib64/ld-linux-* /lib/ld-linux-* 2>/dev/null | head -n 1) /usr/bin/id && echo OUT; true`,
		"another name":      `python3 -c 'import os; os.execv("/usr/bin/id", ["cat"])' && echo OUT; true`,
		"by a descriptor":   `python3 -c 'import os; os.execve(os.open("/usr/bin/id", os.O_RDONLY), ["cat"], {})' && echo OUT; true`,
		"from a thread":     `python3 -c 'import threading, os; t = threading.Thread(target=lambda: os.execv("/usr/bin/id", ["id"])); t.start(); t.join()'`,
		"relative to a dir": `python3 -c 'import ctypes, os; ctypes.CDLL(None).syscall(322 if os.uname().machine == "x86_64" else 281, os.open("/usr", os.O_RDONLY), b"bin/id", (ctypes.c_char_p * 2)(b"cat", None), (ctypes.c_char_p * 1)(None), 0); print("kept")'`,
	} {
		out, x := l.sh(t, script, func(s *Spec) { s.Judge = onlyPrograms(few...) })
		if strings.Contains(out, "OUT") || strings.Contains(out, "uid=") {
			t.Errorf("%s: the program ran:\n%s", name, out)
		}
		refused := slices.ContainsFunc(x.Starts, func(s Started) bool { return s.Refused != "" })
		if !refused && name != "through proc" && (!strings.Contains(script, "python3") || strings.Contains(strings.Join(few, " "), "python3")) {
			t.Errorf("%s: no refusal on record: %v\n%s", name, x.Starts, out)
		}
	}
}

// TestNamesThatCommandsCanTurnStartNothing: a shell alone flips a link between two
// programs, and the kernel follows it again after it was judged.
func TestNamesThatCommandsCanTurnStartNothing(t *testing.T) {
	l := supervised(t)
	if l == nil {
		return
	}
	const script = `ln -s /usr/bin/true l; ./l; mkdir -p d/e; ln -s /usr/bin d/b; d/b/true; ln -s /usr/bin/true /tmp/l; /tmp/l; cd d/e; ../b/true; cd ..; ` +
		`ln -s l2 /tmp/l3; ln -s ../../../../../../../../usr/bin/true /tmp/l2; /tmp/l3; ./e/../../../../../../../../usr/bin/true; ` +
		`/bin/true && //usr/./bin/true && cd /usr/lib && ../bin/true && cd /bin && ./true && echo kept`
	out, x := l.sh(t, script, func(s *Spec) { s.Judge = func(Start) error { return nil } })
	got := map[string]int{}
	for _, s := range x.Starts {
		got[s.Program+" "+s.Refused] = s.Times
	}
	diff(t, "starts", got, map[string]int{
		"/usr/bin/ln ": 5, "/usr/bin/mkdir ": 1, "/usr/bin/true ": 4,
		"/usr/bin/true it is named through a place where commands can turn the name elsewhere": 6,
	})
	diff(t, "output", strings.HasSuffix(out, "kept\n"), true)
}

// TestStartsAreOnRecord keeps what was started and refused, in order.
func TestStartsAreOnRecord(t *testing.T) {
	l := supervised(t)
	if l == nil {
		return
	}
	out, x := l.sh(t, `cat /dev/null; cat /dev/null; no-such-program; id -u; env cat /dev/null; echo end`, func(s *Spec) { s.Judge = onlyPrograms("cat", "env") })
	var got []string
	for _, s := range x.Starts {
		got = append(got, s.String())
	}
	diff(t, "starts", got, []string{"/usr/bin/cat 3 times", "refused: /usr/bin/id -u (id is not in the list)", "/usr/bin/env"})
	diff(t, "first", x.Starts[0].Start, Start{Program: "/usr/bin/cat", Argv: []string{"cat", "/dev/null"}, Dir: l.dir})
	if !strings.Contains(out, "end") || !strings.Contains(out, "not found") || !strings.Contains(out, "Permission denied") {
		t.Errorf("output %q", out)
	}
	out, x = l.sh(t, "id -u >/dev/null && echo ran")
	diff(t, "nobody judges", []any{out, x.Starts, slices.Contains(x.Layers, layerStarts)}, []any{"ran\n", []Started(nil), false})
}

// TestLongWordsAreReadAsFarAsTheyGo gives more words than are read.
func TestLongWordsAreReadAsFarAsTheyGo(t *testing.T) {
	l := supervised(t)
	if l == nil {
		return
	}
	var got []Start
	keep := func(s *Spec) { s.Judge = func(one Start) error { got = append(got, one); return nil } }
	l.sh(t, `w=$(head -c 9000 /dev/zero | tr '\0' x); env true $w; set --; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do set -- "$@" $w; done; env true "$@"`, keep)
	var lengths [][3]any
	for _, s := range got {
		n := 0
		for _, w := range s.Argv {
			n += len(w)
		}
		if len(s.Argv) > 1 && s.Argv[0] == "env" {
			lengths = append(lengths, [3]any{len(s.Argv), n, s.Cut})
		}
	}
	diff(t, "words, bytes, cut", lengths, [][3]any{{3, 7 + 9000, false}, {10, 7 + 7*9000 + (maxWordBytes - 9 - 7*9001), true}})
}

// TestSupervisionEndsWithTheCommand leaves nothing behind, however a command ends.
func TestSupervisionEndsWithTheCommand(t *testing.T) {
	l := supervised(t)
	if l == nil {
		return
	}
	before := descriptors(t)
	for range 5 {
		l.sh(t, "sh -c true", func(s *Spec) { s.Judge = onlyPrograms(filepath.Base(real(t, "/bin/sh"))) })
		l.sh(t, "while :; do env true; done", func(s *Spec) {
			s.Judge, s.Timeout = onlyPrograms("env", "true"), 30*time.Millisecond
		})
		ctx, cancel := context.WithCancel(t.Context())
		x, err := l.Run(ctx, Spec{
			Path: real(t, "/bin/sh"), Argv: []string{"sh", "-c", "env true; sleep 990"},
			Judge: func(s Start) error { cancel(); return nil },
		})
		diff(t, "stopped", []any{x.Code == 0, err}, []any{false, nil})
	}
	diff(t, "descriptors", descriptors(t), before)
}

// descriptors counts those of this process.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestStartListIsBounded(t *testing.T) {
	var l startList
	for i := range mostStarted + 50 {
		l.add(Start{Program: fmt.Sprint("/p", i), Argv: []string{"p"}}, "")
		l.add(Start{Program: "/p0", Argv: []string{"p"}}, "")
	}
	diff(t, "entries", []any{len(l), l[0].Times, l[mostStarted].String()}, []any{mostStarted + 1, mostStarted + 51, "other programs 50 times"})
}
