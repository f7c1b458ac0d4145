package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"hardshell/sandbox"
)

func main() {
	// The sandbox is this program in another role, which begins before anything else.
	if code, ran := sandbox.Main(os.Args); ran {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	code := run(ctx, os.Args, os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
