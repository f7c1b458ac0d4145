package app

import (
	"testing"

	"hardshell/runtime/config"
	"hardshell/runtime/store"
	"hardshell/sandbox"
)

func TestKeptProbeCountsForTheSameOnly(t *testing.T) {
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	p := &parts{store: st, values: st.Values}
	cfg := config.Default()
	cfg.Workspace = "/lab"
	of := probedOf(cfg)
	if of == "" {
		t.Fatal("this machine does not tell its boot")
	}
	if _, ok := p.keptProbe("main", of); ok {
		t.Error("a probe was kept that nobody made")
	}
	whole := sandbox.Report{Layers: []string{"mount", "pid"}}
	for name, c := range map[string]struct {
		kept probed
		want bool
	}{
		"the same":        {probed{of, whole}, true},
		"another boot":    {probed{"boot x" + of, whole}, false},
		"a layer missing": {probed{of, sandbox.Report{Layers: []string{"pid"}, Missing: "namespaces"}}, false},
		"nothing found":   {probed{of, sandbox.Report{}}, false},
		"no name":         {probed{"", whole}, false},
	} {
		if err := st.Values.Put(nsProbed, "main", probedFmt, c.kept); err != nil {
			t.Fatal(err)
		}
		if _, ok := p.keptProbe("main", of); ok != c.want {
			t.Errorf("%s: %v", name, ok)
		}
	}
	if err := st.Values.Put(nsProbed, "main", probedFmt, probed{"", whole}); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.keptProbe("main", ""); ok {
		t.Error("an unknown machine matches another one")
	}
	other := cfg
	other.Sandbox.WeakerOK = true
	if probedOf(other) == of {
		t.Error("the operator's waiver changes nothing")
	}
}
