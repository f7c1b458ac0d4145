// Command lab is the part of test/ollama/setup that talks to model servers:
// it finds one, starts one, or stops the one that it started. It prints
// KEY=VALUE lines for the script and tells a person on stderr what it does.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"hardshell/test/ollama"
	"hardshell/test/scripted"
)

// pullModel is what is fetched where the network has a model registry: small
// enough for two cores, and it calls tools.
const pullModel = "qwen2.5:1.5b"

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil {
		say("%v", err)
		os.Exit(1)
	}
}

// say tells the person something.
func say(format string, a ...any) { fmt.Fprintf(os.Stderr, "ollama setup: "+format+"\n", a...) }

// run carries out one command.
func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("usage: lab find|serve|stop")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	program := flags.String("program", "", "the ollama program")
	origin := flags.String("origin", "", "where it came from: path or built")
	small := flags.String("small", "", "SmolLM2 as a GGUF file")
	cache := flags.String("cache", "", "folder for what is made here")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	dir := filepath.Join(*cache, "serve")
	switch args[0] {
	case "find":
		return find(ctx)
	case "serve":
		return serve(ctx, dir, *program, *origin, *small)
	case "stop":
		return stop(ctx, dir)
	}
	return fmt.Errorf("what is %q? usage: lab find|serve|stop", args[0])
}

// find reports the server that is there already, if it will do.
func find(ctx context.Context) error {
	found, err := ollama.Find(ctx, ollama.HostURL(os.Getenv("OLLAMA_HOST")))
	if err != nil {
		return fmt.Errorf("there is no server to use as it is (%s)", lastClause(err))
	}
	say("using the server at %s and its model %s; neither is changed", found.Host, found.Model)
	fmt.Printf("OLLAMA_HOST=%s\nLAB_SERVER=running\nLAB_KIND=real\nLAB_MODEL=%s\n", found.Host, found.Model)
	return nil
}

// serve starts a server of our own, or takes the one that a run before left,
// and gives it the best model that can be had here.
func serve(ctx context.Context, dir, program, origin, small string) error {
	s, ok := ollama.Saved(ctx, dir)
	if ok {
		say("using the server that an earlier run of this script left at %s", s.Host)
	} else {
		var err error
		if s, err = ollama.Start(ctx, ollama.Options{Program: program, Dir: dir, Detached: true}); err != nil {
			return err
		}
		if err := s.Save(dir); err != nil {
			s.Stop()
			return err
		}
		say("started a server at %s with models of its own in %s", s.Host, filepath.Join(dir, "models"))
	}
	kind, name, err := choose(ctx, s, dir, small)
	if err != nil {
		return err
	}
	fmt.Printf("OLLAMA_HOST=%s\nLAB_SERVER=%s\nLAB_KIND=%s\nLAB_MODEL=%s\nLAB_SMALL=%s\nLAB_LOG=%s\n",
		s.Host, origin, kind, name, ollama.Small, s.Log)
	return nil
}

// choose takes a model that was pulled before, else pulls one, else makes the
// scripted one. The small real model is made in any case.
func choose(ctx context.Context, s *ollama.Server, dir, small string) (kind, name string, err error) {
	if err := s.CreateSmall(ctx, small); err != nil {
		return "", "", err
	}
	if err := s.CreateScripted(ctx, dir, scripted.Lab()); err != nil {
		return "", "", err
	}
	if found, err := ollama.Find(ctx, s.Host); err == nil {
		say("model: %s, pulled before", found.Model)
		return "real", found.Model, nil
	}
	if os.Getenv("HARDSHELL_PULL") == "no" {
		say("not pulling a model, as HARDSHELL_PULL=no asks: going on with the scripted model")
		return "scripted", ollama.Scripted, nil
	}
	say("trying to pull %s, for at most %s", pullModel, ollama.PullLimit)
	if err := s.Pull(ctx, pullModel, progress()); err != nil {
		say("this network has no model registry (%s): going on with the scripted model", lastClause(err))
		return "scripted", ollama.Scripted, nil
	}
	say("model: %s", pullModel)
	return "real", pullModel, nil
}

// lastClause is the end of an error's chain: what went wrong, without the way
// there.
func lastClause(err error) string {
	s := err.Error()
	return strings.TrimSpace(s[strings.LastIndex(s, ": ")+1:])
}

// progress tells how far a download is, every five seconds.
func progress() func(status string, done, total int64) {
	var last time.Time
	return func(status string, done, total int64) {
		if total == 0 || time.Since(last) < 5*time.Second {
			return
		}
		last = time.Now()
		say("%s: %d of %d MB", status, done>>20, total>>20)
	}
}

// stop ends the server that serve started.
func stop(ctx context.Context, dir string) error {
	s, ok := ollama.Saved(ctx, dir)
	if !ok {
		say("no server of this script runs")
		return ollama.Forget(dir)
	}
	s.Stop()
	say("stopped the server at %s", s.Host)
	return ollama.Forget(dir)
}
