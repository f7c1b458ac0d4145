package rig

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestConsole(t *testing.T) {
	const stopped = "the machine stopped before its plan's end"
	for _, c := range []struct {
		name, text string
		want       console
	}{
		{"nothing", "", console{broken: stopped}},
		{
			"a whole run", "hello\r\n@boot 6.1 lockdown,yama\r\n@begin a/b\r\nPASS\r\n\r\n@end a/b 0 1500\r\n@begin c\r\n@end c 1 2\r\n@off\r\nbye\r\n",
			console{
				kernel: "6.1", lsm: "lockdown,yama", loose: "hello\nbye\n",
				steps: []ended{{"a/b", 0, 1500 * time.Millisecond, "PASS\n\n"}, {"c", 1, 2 * time.Millisecond, ""}},
			},
		},
		{"words before a mark", "@begin a\nno newline@end a 0 0\n@off\n", console{steps: []ended{{name: "a"}}}},
		{"cut short", "@begin a\nhalf", console{broken: stopped + " while a ran", loose: "half"}},
		{"its own word", "@broken load ext4.ko: exec format error\n", console{broken: "load ext4.ko: exec format error"}},
		{"another one's end", "@begin a\n@end b 0 0\n@off\n", console{broken: `the machine said "end b 0 0" while "a" ran`}},
		{"no numbers", "@begin a\n@end a x\n", console{broken: `the machine said "end a x" while "a" ran`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.ReplaceAll(c.text, "@", Mark)
			c.want.raw = strings.ReplaceAll(text, "\r\n", "\n")
			if d := cmp.Diff(c.want, read(text), cmp.AllowUnexported(console{}, ended{})); d != "" {
				t.Errorf("read (-want +got):\n%s", d)
			}
		})
	}
}

func TestResults(t *testing.T) {
	text := strings.NewReplacer("@", "\x16").Replace(`@=== RUN   TestA
    a_test.go:3: chatter
@--- PASS: TestA (0.00s)
@=== RUN   TestB
@=== RUN   TestB/sub
    b_test.go:7: no server here
@--- SKIP: TestB/sub (0.00s)
@--- PASS: TestB (0.00s)
@=== RUN   TestC
    c_test.go:9: wrong
@--- FAIL: TestC (0.00s)
@FAIL
`)
	got, err := results(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range got {
		names = append(names, r.name+" "+r.action)
	}
	if d := cmp.Diff([]string{"TestA pass", "TestB/sub skip", "TestB pass", "TestC fail", " "}, names); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
	if d := cmp.Diff("no server here", got[1].reason()); d != "" {
		t.Errorf("reason (-want +got):\n%s", d)
	}
	if !strings.Contains(got[3].text, "c_test.go:9: wrong") {
		t.Errorf("the failed test's words are %q", got[3].text)
	}
	if got, want := (result{}).reason(), "no reason given"; got != want {
		t.Errorf("reason of silence: %q, want %q", got, want)
	}
}

// What ends without a word is no result.
func TestResultsOfNothing(t *testing.T) {
	got, err := results(t.Context(), "panic: no\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].name != "" || !strings.Contains(got[0].text, "panic: no") {
		t.Errorf("results: %+v", got)
	}
}
