package model_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
)

const gb = 1_000_000_000

// able is a model that can call tools.
func able(name string, size int64) model.Info {
	return model.Info{Name: name, Size: size, Capabilities: []string{"completion", "tools"}}
}

func TestBest(t *testing.T) {
	cloud := able("big:cloud", 300)
	cloud.Remote = "https://ollama.com"
	plain := model.Info{Name: "chat-only:3b", Size: 3 * gb, Capabilities: []string{"completion"}}
	list := []model.Info{able("tiny:135m", gb/10), able("qwen3:4b", 5*gb/2), able("qwen3:8b", 5*gb), able("qwen3:14b", 9*gb), plain, cloud}
	embed := able("nomic-embed-text:latest", 7*gb) // its template mentions tools, and it can't chat all the same
	embed.Capabilities = []string{"embedding", "tools"}
	bert := model.Info{Name: "all-minilm", Family: "bert", Size: gb}
	tests := map[string]struct {
		list []model.Info
		free int64
		want string
		why  string
		code string
	}{
		"the biggest that fits":           {list: list, free: 5 * gb, want: "qwen3:4b", why: "the biggest of 4 models that can call tools and fits into 5.0 GB of memory (it needs about 3.2 GB)"},
		"a big machine":                   {list: list, free: 32 * gb, want: "qwen3:14b", why: "the biggest of 4 models"},
		"headroom counts":                 {list: list, free: 28 * gb / 10, want: "tiny:135m", why: "the biggest of 4 models"},
		"unknown memory":                  {list: list, free: 0, want: "tiny:135m", why: "the smallest of 4 models that can call tools, since the free memory is not known"},
		"ties go by name":                 {list: []model.Info{able("b", gb), able("a", gb), able("c", gb)}, free: 8 * gb, want: "a", why: "the biggest of 3 models"},
		"one model":                       {list: []model.Info{able("a", gb)}, free: 8 * gb, want: "a", why: "the biggest of 1 model that"},
		"no model":                        {free: 8 * gb, code: model.ModelMissing},
		"none that calls tools":           {list: []model.Info{plain, cloud}, free: 8 * gb, code: model.ModelMissing},
		"none fits":                       {list: []model.Info{able("b", 9*gb), able("a", 9*gb)}, free: gb, code: model.OutOfMemory},
		"an embedding model is never it":  {list: []model.Info{embed, able("a", gb)}, free: 32 * gb, want: "a", why: "the biggest of 1 model that"},
		"only embedding models":           {list: []model.Info{embed, bert}, free: 32 * gb, code: model.ModelMissing},
		"an old server's embedding model": {list: []model.Info{bert}, free: 32 * gb, code: model.ModelMissing},
		"a cloud model is never the best": {list: []model.Info{cloud}, free: 64 * gb, code: model.ModelMissing},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for range 2 { // in either order of the list
				got, why, err := model.Best(tt.list, tt.free)
				if tt.code != "" {
					if c := code(t, err); c != tt.code {
						t.Errorf("code %s (%v), want %s", c, err, tt.code)
					}
				} else if err != nil || got.Name != tt.want || !strings.HasPrefix(why, tt.why) {
					t.Errorf("%s, %q, %v, want %s, %q", got.Name, why, err, tt.want, tt.why)
				}
				tt.list = slices.Clone(tt.list)
				slices.Reverse(tt.list)
			}
		})
	}
	_, _, err := model.Best([]model.Info{able("b", 9*gb), able("a", 9*gb)}, gb)
	var e *model.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "10.7 GB") || !strings.Contains(e.Hint, "agent model use") {
		t.Errorf("error %v, hint %q", err, e.Hint)
	}
}

func TestNumCtx(t *testing.T) {
	const gib = 1 << 30
	tests := []struct {
		window, want int
		memory       int64
		num          int
	}{
		{40960, 0, 0, 8192},
		{40960, 0, 3 * gib, 4096},
		{40960, 0, 8 * gib, 8192},
		{40960, 0, 16 * gib, 8192},
		{40960, 0, 16*gib + 1, 16384},
		{40960, 12288, 8 * gib, 12288},
		{40960, 131072, 8 * gib, 40960},
		{2048, 0, 8 * gib, 2048},
		{0, 131072, 8 * gib, 131072},
		{0, -5, 0, 8192},
	}
	var got []int
	var want []int
	for _, tt := range tests {
		got = append(got, model.NumCtx(model.Info{Window: tt.window}, tt.want, tt.memory))
		want = append(want, tt.num)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("windows (-want +got):\n%s", d)
	}
}
