package rig

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
)

// root is the project's folder.
func root() string {
	_, here, _, _ := goruntime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(here)))
}

// goArm builds for the board: go build or go test -c, with the Makefile's settings.
func goArm(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root()
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// lay builds everything that the machines run and lays it out as the work disk's
// tree: the program, process 1, the test binaries, the project's files.
func lay(ctx context.Context, dir string, packages []string) error {
	at := func(inside string) string { return filepath.Join(dir, strings.TrimPrefix(inside, Mount)) }
	for _, b := range []struct{ out, pkg string }{{Agent, "./cmd/agent"}, {Guest, "./test/rig/guest"}} {
		if err := goArm(ctx, "build", "-trimpath", "-ldflags", "-s -w -X main.version=rig", "-o", at(b.out), b.pkg); err != nil {
			return err
		}
	}
	for _, p := range packages {
		if err := goArm(ctx, "test", "-c", "-ldflags", "-s -w", "-o", at(binaryOf(p)), "./"+p); err != nil {
			return err
		}
	}
	return copyTree(root(), at(Source))
}

// binaryOf is where the test binary of a package lies in the machine.
func binaryOf(pkg string) string { return Tests + "/" + strings.ReplaceAll(pkg, "/", "-") + ".test" }

// most is the size in bytes of the largest file that goes along.
const most = 1 << 20

// copyTree copies the project without its history and its products.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case rel == ".git" && !d.IsDir(): // a worktree's
			return nil
		case rel == ".git" || rel == "bin":
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > most {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, info.Mode().Perm()|0o444)
	})
}

// format makes an ext4 disk of a tree. The file is sparse.
func format(ctx context.Context, dir, image string) error {
	// Where an ordinary user has no sbin on PATH.
	path := "PATH=" + os.Getenv("PATH") + ":/usr/sbin:/sbin"
	cmd := exec.CommandContext(ctx, "env", path, "mke2fs", "-q", "-t", "ext4", "-E", "root_owner=0:0", "-d", dir, image, "512M")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make the work disk: %w\n%s", err, out)
	}
	return nil
}
