package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/model"
	"hardshell/runtime/model/modeltest"
)

// What another process's setting can be known by: its environment, else its unit.
func TestSharedCacheOfAServer(t *testing.T) {
	s := modeltest.Fake(t)
	client, err := model.New(model.Config{Host: "x", HTTP: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	const unit, drop = "etc/systemd/system/ollama.service", "etc/systemd/system/ollama.service.d/lab.conf"
	for name, c := range map[string]struct {
		files   map[string]string
		version string
		want    string // a file of it, or a process
	}{
		"nothing":              {nil, "0.17.4", ""},
		"process":              {map[string]string{"proc/71/comm": "ollama\n", "proc/71/environ": "A=b\x00OLLAMA_MULTIUSER_CACHE=1\x00"}, "0.17.4", "the environment of process 71"},
		"another's process":    {map[string]string{"proc/71/comm": "bash\n", "proc/71/environ": "OLLAMA_MULTIUSER_CACHE=1\x00"}, "0.17.4", ""},
		"switched off":         {map[string]string{"proc/71/comm": "ollama\n", "proc/71/environ": "OLLAMA_MULTIUSER_CACHE=0\x00"}, "0.17.4", ""},
		"empty":                {map[string]string{"proc/71/comm": "ollama\n", "proc/71/environ": "OLLAMA_MULTIUSER_CACHE=\x00"}, "0.17.4", ""},
		"odd":                  {map[string]string{"proc/71/comm": "ollama\n", "proc/71/environ": "OLLAMA_MULTIUSER_CACHE=yes\x00"}, "0.17.4", "the environment of process 71"},
		"not readable, a unit": {map[string]string{"proc/71/comm": "ollama\n", drop: "[Service]\nEnvironment=\"A=b\" \"OLLAMA_MULTIUSER_CACHE=true\"\n"}, "0.17.4", drop},
		"a unit":               {map[string]string{unit: "[Service]\nEnvironment=OLLAMA_MULTIUSER_CACHE=1\n"}, "0.16.0", unit},
		"a comment":            {map[string]string{unit: "[Service]\n#Environment=OLLAMA_MULTIUSER_CACHE=1\n"}, "0.17.4", ""},
		"another name":         {map[string]string{unit: "[Service]\nEnvironment=NO_OLLAMA_MULTIUSER_CACHE=1\n"}, "0.17.4", ""},
		"a unit, run without":  {map[string]string{unit: "[Service]\nEnvironment=OLLAMA_MULTIUSER_CACHE=1\n", "proc/71/comm": "ollama\n", "proc/71/environ": "A=b\x00"}, "0.17.4", ""},
		"a newer server":       {map[string]string{unit: "[Service]\nEnvironment=OLLAMA_MULTIUSER_CACHE=1\n"}, "0.18.0", ""},
		"a candidate":          {map[string]string{unit: "[Service]\nEnvironment=OLLAMA_MULTIUSER_CACHE=1\n"}, "0.17.4-rc1", unit},
		"somebody's own build": {map[string]string{unit: "[Service]\nEnvironment=OLLAMA_MULTIUSER_CACHE=1\n"}, "main", ""},
	} {
		m := machine{root: t.TempDir()}
		for path, text := range c.files {
			path = filepath.Join(m.root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s.SetVersion(c.version)
		want := c.want
		if _, ok := c.files[want]; ok {
			want = filepath.Join(m.root, want)
		}
		if d := cmp.Diff(want, m.crashes(t.Context(), client)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
