package lookup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxMatches bounds one pattern. Policy judges far fewer; more is left unexpanded,
// which denies.
const maxMatches = 10_000

// Glob gives the paths that a name pattern stands for now, written as a shell
// would write them: the pattern's own words where it has no mark, hidden files only
// where the pattern begins with a dot. A backslash escapes, [^…] negates. It is
// not ok when the pattern is malformed or matches too much.
func Glob(dir, pattern string) (files []string, ok bool) {
	if _, err := filepath.Match(pattern, ""); err != nil || strings.ContainsRune(pattern, 0) {
		return nil, false
	}
	found := []string{""}
	parts := strings.SplitAfter(pattern, "/")
	for i, part := range parts {
		name := strings.TrimSuffix(part, "/")
		slash := part[len(name):]
		var next []string
		for _, before := range found {
			for _, n := range matches(join2(dir, before), name) {
				path := before + n + slash
				if i < len(parts)-1 || exists(join2(dir, path)) {
					next = append(next, path)
				}
			}
			if len(next) > maxMatches {
				return nil, false
			}
		}
		found = next
	}
	slices.Sort(found)
	return found, true
}

// matches gives the entries of a folder that one part of a pattern matches. A part
// without a mark stands for itself.
func matches(dir, part string) []string {
	if !strings.ContainsAny(part, `*?[\`) {
		return []string{part}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		hiddenName := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(part, ".")
		if ok, err := filepath.Match(part, e.Name()); ok && err == nil && !hiddenName {
			out = append(out, e.Name())
		}
	}
	return out
}

// join2 puts a word behind a folder without cleaning: ".." is the kernel's to
// follow.
func join2(dir, word string) string {
	if strings.HasPrefix(word, "/") {
		return word
	}
	return dir + "/" + word
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
