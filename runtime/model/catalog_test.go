package model_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

func TestList_IsSortedAndKnowsWhatEachModelCanDo(t *testing.T) {
	s := modeltest.Fake(t)
	s.SetModels(
		modeltest.Model{Name: "qwen3:4b", Capabilities: []string{"completion", "tools", "thinking"}, Size: 2_600_000_000},
		modeltest.Model{Name: "gpt-oss:120b-cloud", Remote: "https://ollama.com:443", Family: "gptoss", Size: 300},
		modeltest.Model{Name: "all-minilm:latest", Capabilities: []string{"embedding"}, Family: "bert", Window: 512, Size: 45_000_000},
	)
	got, err := client(t, s).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rest := model.Info{Digest: strings.Repeat("0", 64), Template: "{{ .Tools }}", ParameterSize: "4.0B", Quantization: "Q4_K_M"}
	a, b, c := rest, rest, rest
	a.Name, a.Family, a.Capabilities, a.Window, a.Size = "all-minilm:latest", "bert", []string{"embedding"}, 512, 45_000_000
	b.Name, b.Family, b.Capabilities, b.Window, b.Size, b.Remote = "gpt-oss:120b-cloud", "gptoss", []string{"completion", "tools"}, 40960, 300, "https://ollama.com:443"
	c.Name, c.Family, c.Capabilities, c.Window, c.Size = "qwen3:4b", "qwen3", []string{"completion", "tools", "thinking"}, 40960, 2_600_000_000
	if d := cmp.Diff([]model.Info{a, b, c}, got); d != "" {
		t.Errorf("list (-want +got):\n%s", d)
	}
}

func TestShow(t *testing.T) {
	s := modeltest.Fake(t)
	s.SetModels(modeltest.Model{Name: "lab:latest", Family: "llama", Window: 8192, Size: 98_362_432, Template: "{{ .Prompt }}", Parameters: "stop \"<|im_end|>\"", Capabilities: []string{"completion"}, About: map[string]any{
		"llama.block_count": 30, "llama.embedding_length": 576, "llama.attention.head_count": 9, "llama.attention.head_count_kv": 3, // SmolLM2
	}})
	got, err := client(t, s).Show(t.Context(), "lab")
	if err != nil {
		t.Fatal(err)
	}
	want := model.Info{
		Name: "lab", Family: "llama", Capabilities: []string{"completion"}, Window: 8192, Template: "{{ .Prompt }}",
		Size: 98_362_432, Digest: strings.Repeat("0", 64), PerToken: 23040, Parameters: "stop \"<|im_end|>\"", ParameterSize: "4.0B", Quantization: "Q4_K_M",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("info (-want +got):\n%s", d)
	}
	if got.Can("tools") || !got.Can("completion") {
		t.Errorf("capabilities %v are read wrongly", got.Capabilities)
	}
}

func TestShow_NeedsAName(t *testing.T) {
	if _, err := client(t, modeltest.Fake(t)).Show(t.Context(), ""); code(t, err) != model.BadRequest {
		t.Errorf("error %v", err)
	}
}

func TestRunning(t *testing.T) {
	s := modeltest.Fake(t)
	s.SetRunning(`{"models":[{"name":"b","size":10,"size_vram":4,"context_length":8192,"expires_at":"2026-01-01T00:00:00Z"},{"name":"a"}]}`)
	got, err := client(t, s).Running(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Loaded{{Name: "a"}, {Name: "b", Size: 10, VRAM: 4, Window: 8192, Expires: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("running (-want +got):\n%s", d)
	}
}

func TestPull_TellsItsProgress(t *testing.T) {
	s := modeltest.Fake(t)
	s.SetPull(`{"status":"pulling manifest"}`, `{"status":"pulling \u001b[1mabc","total":100,"completed":40}`, `{"status":"success"}`)
	var said []string
	err := client(t, s).Pull(t.Context(), "qwen3:4b", func(status string, done, total int64) {
		said = append(said, fmt.Sprintf("%s %d/%d", status, done, total))
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"pulling manifest 0/0", "pulling  [1mabc 40/100", "success 0/0"}, said); d != "" {
		t.Errorf("progress (-want +got):\n%s", d)
	}
	if d := cmp.Diff(1, len(s.Bodies("/api/pull"))); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
}

func TestPull_Failures(t *testing.T) {
	for name, tt := range map[string]struct {
		lines []string
		code  string
	}{
		"no such model":        {[]string{`{"status":"pulling manifest"}`, `{"error":"pull model manifest: file does not exist"}`}, model.ModelMissing},
		"no network":           {[]string{`{"status":"pulling manifest"}`, `{"error":"pull model manifest: Get \"https://registry/\": dial tcp: lookup registry: no such host"}`}, model.Offline},
		"full disk":            {[]string{`{"error":"write /models/blobs/x: no space left on device"}`}, model.Server},
		"ended before success": {[]string{`{"status":"pulling manifest"}`}, model.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Fake(t)
			s.SetPull(tt.lines...)
			err := client(t, s).Pull(t.Context(), "nope", func(string, int64, int64) {})
			if got := code(t, err); got != tt.code {
				t.Errorf("code %s (%v), want %s", got, err, tt.code)
			}
		})
	}
	if err := client(t, modeltest.Fake(t)).Pull(t.Context(), "", nil); code(t, err) != model.BadRequest {
		t.Errorf("error %v", err)
	}
}

func TestPull_EndsWhenNothingMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.Fake(t)
		s.Become(modeltest.Stream(modeltest.Step{Raw: `{"status":"pulling abc"}` + "\n"}, modeltest.Step{Stall: true}))
		err := client(t, s).Pull(t.Context(), "qwen3:4b", func(string, int64, int64) {})
		if got := code(t, err); got != model.Stalled {
			t.Errorf("code %s (%v)", got, err)
		}
	})
}
