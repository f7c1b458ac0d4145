package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// looks are the commands that ask the agent and change nothing.
var looks = [][]string{
	{"policy", "check", "--", "echo", "hi"},
	{"status"},
	{"policy", "explain", "--", "echo", "hi"},
	{"audit", "tail"},
	{"audit", "verify"},
	{"sessions", "list"},
	{"process", "list"},
	{"approvals", "list"},
	{"approvals", "grants"},
	{"context", "list"},
	{"audit", "export"},
	{"context", "prompt"},
}

// crowd runs command lines all at once, as processes of their own, and gives what went
// wrong: each distinct fault once, with its count.
func (p *person) crowd(lines [][]string) map[string]int {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Minute) // only a broken program takes it
	defer cancel()
	faults := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, args := range lines {
		all.Go(func() {
			var out, errs bytes.Buffer
			cmd := exec.CommandContext(ctx, self, args...)
			cmd.Args[0], cmd.Env, cmd.Stdout, cmd.Stderr = "agent", p.env, &out, &errs
			err := cmd.Run()
			if err == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			faults[fmt.Sprintf("%s: %v: %s%s", strings.Join(args, " "), err, out.String(), errs.String())]++
		})
	}
	all.Wait()
	return faults
}

// many gives n command lines, each of them about as often.
func many(n int, lines [][]string) [][]string {
	var out [][]string
	for i := range n {
		out = append(out, lines[i%len(lines)])
	}
	return out
}

// TestManyLookAtOnce: commands that look neither get into each other's way nor depend on
// one another, with a daemon and without one.
func TestManyLookAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts hundreds of processes")
	}
	const crowd = 200
	p := busy(t)
	for fault, n := range p.crowd(slices.Concat(many(crowd/2, looks[:1]), many(crowd/2, looks))) {
		t.Errorf("without a daemon, %d times: %s", n, fault)
	}
	p.daemon("serving")
	for fault, n := range p.crowd(slices.Concat(many(crowd/2, looks[:1]), many(crowd/2, looks))) {
		t.Errorf("with a daemon, %d times: %s", n, fault)
	}
}

// TestManyComeAndGo: questions of many terminals are answered although the process that
// holds the agent for all of them ends again and again, and looks go on beside them.
func TestManyComeAndGo(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	p := busy(t)
	lines := many(30, [][]string{{"ask", "--session", "a", "hi"}, {"status"}, {"ask", "--session", "b", "hi"}, {"policy", "check", "--", "echo", "hi"}, {"ask", "--session", "c", "hi"}})
	for fault, n := range p.crowd(lines) {
		t.Errorf("%d times: %s", n, fault)
	}
	if n := strings.Count(p.run("audit", "verify"), "whole"); n != 1 {
		t.Error("the audit is not whole")
	}
}
