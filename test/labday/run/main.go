// Command run plays the lab day twice on a real model server, as hardshell does it
// and with the habits of today's agents, and writes what it cost into
// docs/performance.md and docs/lab-day.svg. See package labday.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"hardshell/test/labday"
	"hardshell/test/ollama"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	root := flag.String("source", ".", "the project's folder")
	flag.Parse()
	if err := run(ctx, *root); err != nil {
		fmt.Fprintln(os.Stderr, "lab day:", err)
		os.Exit(1)
	}
}

// run plays both days and writes page and picture.
func run(ctx context.Context, root string) error {
	files, err := ollama.Setup(ctx, os.Stderr)
	if err != nil {
		return err
	}
	ours, err := play(ctx, files.Program, root, nil)
	if err != nil {
		return err
	}
	peers, err := play(ctx, files.Program, root, &labday.Habits{})
	if err != nil {
		return err
	}
	docs := filepath.Join(root, "docs")
	if err := os.WriteFile(filepath.Join(docs, "lab-day.svg"), []byte(labday.Plot(ours, peers)), 0o644); err != nil {
		return err
	}
	return labday.Rewrite(filepath.Join(docs, "performance.md"), labday.Section(ours, peers, time.Now().Format(time.DateOnly)))
}

// play plays one day on a server of its own and tells what it cost.
func play(ctx context.Context, program, root string, habits *labday.Habits) (_ []labday.Request, err error) {
	dir, err := os.MkdirTemp("", "hardshell-lab-day-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := labday.Server(ctx, program, filepath.Join(dir, "server"), 2)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	b, err := labday.New(s, root, filepath.Join(dir, "lab"), habits)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	began := time.Now()
	all, err := b.Play(ctx)
	if err != nil {
		return nil, err
	}
	t := labday.Sum(all, false)
	fmt.Printf("%d requests of the agent's own session in %s: %d tokens evaluated, %d new, %.3f for each\n",
		t.Requests, time.Since(began).Round(time.Second), t.Evaluated, t.New, t.Ratio())
	return all, nil
}
