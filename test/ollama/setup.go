package ollama

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
)

// Files are what the setup script brought.
type Files struct {
	Program string // the ollama program
	Origin  string // path (it was installed) or built
	Small   string // SmolLM2-135M-Instruct as a GGUF file
}

// Setup runs the setup script, which takes minutes on a new machine and no time
// after that. What it says on the way goes to progress.
func Setup(ctx context.Context, progress io.Writer) (Files, error) {
	_, here, _, _ := goruntime.Caller(0)
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(here), "setup"), "files")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(progress, &said)
	if err := cmd.Run(); err != nil {
		return Files{}, fmt.Errorf("test/ollama/setup: %w: %s", err, lastLine(said.String()))
	}
	v := Values(out.String())
	return Files{Program: v["OLLAMA_PROGRAM"], Origin: v["OLLAMA_ORIGIN"], Small: v["SMOLLM2_GGUF"]}, nil
}

// Values reads the script's KEY=VALUE lines.
func Values(text string) map[string]string {
	v := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), "="); ok {
			v[key] = strings.ReplaceAll(value, `\`, "") // the script quotes for the shell
		}
	}
	return v
}

// lastLine is the last line of a text that says something.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
