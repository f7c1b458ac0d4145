package model_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
)

// shelf is a server with models, some of them in memory.
type shelf struct {
	models []model.Info
	loaded []model.Loaded
}

func (s *shelf) List(context.Context) ([]model.Info, error) { return s.models, nil }

func (s *shelf) Show(_ context.Context, name string) (model.Info, error) {
	for _, i := range s.models {
		if i.Name == name {
			return i, nil
		}
	}
	return model.Info{}, &model.Error{Code: model.ModelMissing, Message: name + " is missing", Hint: "pull it"}
}

func (s *shelf) Running(context.Context) ([]model.Loaded, error) { return s.loaded, nil }

// drawer keeps choices as a store does.
type drawer map[string]model.Settled

func (d drawer) Settled(key string) (model.Settled, bool) { s, ok := d[key]; return s, ok }

func (d drawer) Settle(key string, s model.Settled) error { d[key] = s; return nil }

// of is a model with a digest.
func of(name string, size int64, digest string) model.Info {
	i := able(name, size)
	i.Window, i.Digest = 40960, digest
	return i
}

// TestChoiceStays plays starts of an agent on one board: each line is a start, with
// what is free, what the server holds, and what is chosen and told. Smallest input of
// the fault: the second start found 2.9 GB free beside the loaded model and took
// another window, or no model at all.
func TestChoiceStays(t *testing.T) {
	const board = 78 * gb / 10
	big, small := of("qwen3:4b", 5*gb/2, "d1"), of("qwen3:0.6b", gb/2, "d2")
	inUse := []model.Loaded{{Name: "qwen3:4b", Size: 34 * gb / 10, Window: 8192}}
	type start struct {
		name         string // asked for
		free, total  int64
		numCtx       int
		models       []model.Info
		loaded       []model.Loaded
		want, change string // "model window", and a word of what is told
	}
	both := []model.Info{small, big}
	for name, starts := range map[string][]start{
		"loaded by the first start": {
			{free: 63 * gb / 10, models: both, want: "qwen3:4b 8192"},
			{free: 29 * gb / 10, models: both, loaded: inUse, want: "qwen3:4b 8192"},
			{free: 29 * gb / 10, models: both, want: "qwen3:4b 8192"}, // unloaded, and something else is there
			{free: 0, models: both, want: "qwen3:4b 8192"},
			{free: 70 * gb / 10, models: both, want: "qwen3:4b 8192"},
		},
		"one model": {
			{free: 63 * gb / 10, models: []model.Info{big}, want: "qwen3:4b 8192"},
			{free: 29 * gb / 10, models: []model.Info{big}, loaded: inUse, want: "qwen3:4b 8192"},
		},
		"named": {
			{name: "qwen3:4b", free: 63 * gb / 10, models: both, want: "qwen3:4b 8192"},
			{name: "qwen3:4b", free: 29 * gb / 10, models: both, want: "qwen3:4b 8192"},
			{name: "qwen3:0.6b", free: 29 * gb / 10, models: both, want: "qwen3:0.6b 4096"},
			{name: "qwen3:4b", free: 29 * gb / 10, models: both, want: "qwen3:4b 8192"},
		},
		"loaded before anything was kept": {
			{free: 29 * gb / 10, models: both, loaded: inUse, want: "qwen3:4b 8192"},
		},
		"loaded with a larger window": {
			{free: 29 * gb / 10, models: both, loaded: []model.Loaded{{Name: "qwen3:4b", Size: 5 * gb, Window: 16384}}, want: "qwen3:4b 16384"},
		},
		"loaded by another program with too small a window": {
			{free: 35 * gb / 10, models: both, loaded: []model.Loaded{{Name: "qwen3:4b", Size: 28 * gb / 10, Window: 4096}}, want: "qwen3:4b 8192"},
		},
		"the model was replaced": {
			{name: "qwen3:4b", free: 63 * gb / 10, models: both, want: "qwen3:4b 8192"},
			{name: "qwen3:4b", free: 29 * gb / 10, models: []model.Info{small, of("qwen3:4b", 5*gb/2, "d9")}, want: "qwen3:4b 4096", change: "another version"},
			{name: "qwen3:4b", free: 63 * gb / 10, models: []model.Info{small, of("qwen3:4b", 5*gb/2, "d9")}, want: "qwen3:4b 4096"},
		},
		"the server does not tell the digest just now": {
			{name: "qwen3:4b", free: 63 * gb / 10, models: both, want: "qwen3:4b 8192"},
			{name: "qwen3:4b", free: 29 * gb / 10, models: []model.Info{of("qwen3:4b", 5*gb/2, "")}, want: "qwen3:4b 8192"},
		},
		"the config": {
			{free: 63 * gb / 10, models: both, want: "qwen3:4b 8192"},
			{free: 29 * gb / 10, numCtx: 12288, models: both, loaded: inUse, want: "qwen3:4b 12288", change: "model.num_ctx is 12288"},
			{free: 29 * gb / 10, numCtx: 12288, models: both, want: "qwen3:4b 12288"},
			{free: 63 * gb / 10, models: both, want: "qwen3:4b 8192", change: "until now 12288"},
		},
		"the installed memory": {
			{free: 63 * gb / 10, models: both, want: "qwen3:4b 8192"},
			{free: 36 * gb / 10, total: 4 * gb, models: both, want: "qwen3:4b 4096", change: "has 4.0 GB"},
			{free: 1 * gb, total: 41 * gb / 10, models: both, want: "qwen3:4b 4096"}, // a kernel that keeps less for itself
		},
		"the model went away": {
			{free: 63 * gb / 10, models: both, want: "qwen3:4b 8192"},
			{free: 63 * gb / 10, models: []model.Info{small}, want: "qwen3:0.6b 8192", change: "other models"},
			{free: 63 * gb / 10, models: []model.Info{small}, want: "qwen3:0.6b 8192"},
		},
		"a bigger one came": {
			{free: 63 * gb / 10, models: []model.Info{small}, want: "qwen3:0.6b 8192"},
			{free: 63 * gb / 10, models: both, want: "qwen3:4b 8192", change: "other models"},
		},
		"a bigger one came that does not fit just now": {
			{free: 63 * gb / 10, models: []model.Info{small}, want: "qwen3:0.6b 8192"},
			{free: gb, models: both, want: "qwen3:0.6b 8192"},
		},
		"a smaller one came while little is free": {
			{free: 63 * gb / 10, models: []model.Info{big}, want: "qwen3:4b 8192"},
			{free: 15 * gb / 10, models: both, want: "qwen3:4b 8192"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			kept := drawer{}
			for i, s := range starts {
				if s.total == 0 {
					s.total = board
				}
				c := model.Chooser{
					Server: "http://127.0.0.1:11434", Catalog: &shelf{s.models, s.loaded}, NumCtx: s.numCtx, Kept: kept,
					Memory: func() model.Memory { return model.Memory{Free: s.free, Total: s.total} },
				}
				got, err := c.Choose(t.Context(), s.name)
				if err != nil {
					t.Fatalf("start %d: %v", i+1, err)
				}
				if d := cmp.Diff(s.want, fmt.Sprint(got.Info.Name, " ", got.NumCtx)); d != "" {
					t.Errorf("start %d (-want +got):\n%s", i+1, d)
				}
				if (s.change == "") != (got.Changed == "") || !strings.Contains(got.Changed, s.change) {
					t.Errorf("start %d told %q, want %q", i+1, got.Changed, s.change)
				}
				if last := c.Last(s.name); last != got.NumCtx {
					t.Errorf("start %d: the last window is %d, want %d", i+1, last, got.NumCtx)
				}
			}
		})
	}
}

// TestChoiceBelongsToAServer keeps the choices of two servers apart.
func TestChoiceBelongsToAServer(t *testing.T) {
	kept, here := drawer{}, &shelf{models: []model.Info{of("qwen3:4b", 5*gb/2, "d1")}}
	choose := func(server string, free int64) int {
		c := model.Chooser{Server: server, Catalog: here, Kept: kept, Memory: func() model.Memory { return model.Memory{Free: free, Total: 8 * gb} }}
		got, err := c.Choose(t.Context(), "qwen3:4b")
		if err != nil {
			t.Fatal(err)
		}
		return got.NumCtx
	}
	if d := cmp.Diff([]int{8192, 4096, 8192}, []int{choose("http://a:1", 6*gb), choose("http://b:1", 3*gb), choose("http://a:1", 3*gb)}); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestNumCtx_SmallModels gives a model that takes little memory the same window on a
// machine with 4 GB of free memory as on a large one.
func TestNumCtx_SmallModels(t *testing.T) {
	tiny := model.Info{Window: 32768, Size: 3 << 20, PerToken: 2 << 10}
	middle := model.Info{Window: 40960, Size: 5 * gb / 2, PerToken: 144 << 10}
	var got []int
	for _, free := range []int64{gb, 4 * gb, 6 * gb, 12 * gb, 64 * gb} {
		got = append(got, model.NumCtx(tiny, 0, free), model.NumCtx(middle, 0, free))
	}
	if d := cmp.Diff([]int{16384, 4096, 16384, 4096, 16384, 8192, 16384, 16384, 16384, 16384}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
