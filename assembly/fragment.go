package assembly

import (
	"embed"
	"strings"
	"sync"
)

//go:embed fragments/*.md
var fragmentFiles embed.FS

// line is one line of a fragment with the flags it depends on.
type line struct {
	on, off []string
	text    string
}

// fragments are all fragments by name, parsed once and never changed.
var fragments = sync.OnceValue(func() map[string][]line {
	out := map[string][]line{}
	for name, text := range embedded(fragmentFiles, "fragments") {
		out[name] = parseFragment(text)
	}
	return out
})

// embedded reads the .md files of an embedded folder by base name. They are part
// of the binary: a failure is a fault of the build, found by any test.
func embedded(fs embed.FS, dir string) map[string]string {
	entries, err := fs.ReadDir(dir)
	if err != nil {
		panic("assembly: embedded folder " + dir + " cannot be read: " + err.Error())
	}
	out := map[string]string{}
	for _, e := range entries {
		data, err := fs.ReadFile(dir + "/" + e.Name())
		if err != nil {
			panic("assembly: embedded file " + e.Name() + " cannot be read: " + err.Error())
		}
		out[strings.TrimSuffix(e.Name(), ".md")] = strings.TrimSpace(string(data))
	}
	return out
}

// parseFragment splits a fragment into lines and takes their conditions off.
func parseFragment(text string) []line {
	var out []line
	for l := range strings.SplitSeq(text, "\n") {
		cond, rest, ok := strings.Cut(l, "] ")
		if !ok || !isCondition(cond) {
			out = append(out, line{text: l})
			continue
		}
		parsed := line{text: rest}
		for flag := range strings.FieldsSeq(cond[1:]) {
			if name, negated := strings.CutPrefix(flag, "!"); negated {
				parsed.off = append(parsed.off, name)
			} else {
				parsed.on = append(parsed.on, flag)
			}
		}
		out = append(out, parsed)
	}
	return out
}

// isCondition reports whether s is the opening of a condition: "[a !b".
func isCondition(s string) bool {
	if len(s) < 2 || s[0] != '[' {
		return false
	}
	return strings.Trim(s[1:], "abcdefghijklmnopqrstuvwxyz0123456789_! ") == ""
}

// fill renders a fragment: lines whose condition does not hold are left out,
// {name} marks are replaced in one pass, so that a value is never read as a mark.
func fill(name string, flag func(string) bool, values *strings.Replacer) string {
	var b strings.Builder
	for _, l := range fragments()[name] {
		if !l.holds(flag) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(values.Replace(l.text))
	}
	return b.String()
}

// holds reports whether all flags stand as the line demands.
func (l line) holds(flag func(string) bool) bool {
	for _, f := range l.on {
		if !flag(f) {
			return false
		}
	}
	for _, f := range l.off {
		if flag(f) {
			return false
		}
	}
	return true
}
