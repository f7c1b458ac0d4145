package config

import (
	"strings"
	"testing"
)

// TestCheck holds settings that exclude each other, the ends of ranges and names, and
// what a terminal may be shown of a damaged file. An empty want accepts.
func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"[prompt]\nbootstrap_max_chars = 8001\nbootstrap_total_max_chars = 8000\n": "prompt.bootstrap_max_chars = 8001 is more than prompt.bootstrap_total_max_chars = 8000: lower the first or raise the second",
		"[prompt]\nbootstrap_max_chars = 8000\nbootstrap_total_max_chars = 8000\n": "",
		"[model]\nnum_ctx = 4096\nnum_predict = 2049\n":                            "model.num_predict = 2049 is more than half of model.num_ctx = 4096: lower the first or raise the second",
		"[model]\nnum_ctx = 4096\nnum_predict = 2048\n":                            "",
		"[model]\nnum_ctx = 2047\n":                                                "model.num_ctx = 2047 is too small for the prompt",
		"[model]\nnum_ctx = 2048\nnum_predict = 1024\n":                            "",
		"[exec]\ntimeout = \"31m\"\nmax_timeout = \"30m\"\n":                       "exec.timeout = 31m is more than exec.max_timeout = 30m",
		"[exec]\ntimeout = \"30m\"\nmax_timeout = \"30m\"\n":                       "",
		"zone = \"Local\"\n":                                            "zone = \"Local\" is no time zone",
		"[gateway]\nlisten = \"127.0.0.1:8700\"\n":                      "",
		"[gateway]\nlisten = \"[::1]:8700\"\n":                          "",
		"[gateway]\nlisten = \"127.0.0.1\"\n":                           "gateway.listen = \"127.0.0.1\" is no loopback address with a port",
		"[gateway]\nlisten = \"localhost:8700\"\n":                      "gateway.listen = \"localhost:8700\" is no loopback address with a port",
		"[secrets]\nvalues = [\"abcdef\"]\n":                            "",
		"[[agent]]\nid = \"azAZ09._-\"\n":                               "",
		"[[agent]]\nid = \"" + strings.Repeat("a", 64) + "\"\n":         "",
		"[[agent]]\nid = \"" + strings.Repeat("a", 65) + "\"\n":         "use letters, digits, dot, dash and underscore",
		"[[agent]]\nid = \"a b\"\n":                                     "use letters, digits, dot, dash and underscore",
		"[[agent]]\nid = \"a/b\"\n":                                     "use letters, digits, dot, dash and underscore",
		"[[agent]]\nid = \"a@b\"\n":                                     "use letters, digits, dot, dash and underscore",
		"[[agent]]\nid = \"a[b\"\n":                                     "use letters, digits, dot, dash and underscore",
		"[[agent]]\nid = \"a`b\"\n":                                     "use letters, digits, dot, dash and underscore",
		"[[agent]]\nid = \"a{b\"\n":                                     "use letters, digits, dot, dash and underscore",
		"[[agent]]\nid = \"a:b\"\n":                                     "use letters, digits, dot, dash and underscore",
		"zone = \"\x1b[31mred\u009b1m\x7f\x00\"\n":                      "zone = \"?[31mred?1m??\"",
		"[[agent]]\nid = \"one\"\nworkspace = \"/a\"\nmodel = \"\x07\"": "model = \"?\"",
	} {
		_, err := loadText(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", text, err, want)
		case err != nil && strings.ContainsAny(err.Error(), "\x1b\u009b\x7f\x00\x07"):
			t.Errorf("%q: a terminal would act on %q", text, err)
		}
	}
}
