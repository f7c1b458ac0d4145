package skills

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// bundled holds the skills that come with the program, one folder each.
//
//go:embed bundled
var bundled embed.FS

// Bundled gives the folder of the skills that come with the program.
func Bundled() fs.FS {
	sub, err := fs.Sub(bundled, "bundled")
	if err != nil {
		panic("skills: internal error: " + err.Error()) // the folder is embedded
	}
	return sub
}

// Root is a folder of skills. Roots are given in the order of precedence.
type Root struct {
	Name string // workspace, state, bundled
	FS   fs.FS
	// At is put before a skill's path to give the path that the read tool takes:
	// "skills/", "state:".
	At string
}

// Discover lists the skills of all roots, usable or not, by name, then by
// precedence. allowed, when not nil, holds the names that the agent may use.
func Discover(roots []Root, place Place, allowed []string) []Skill {
	var all []Skill
	for _, r := range roots {
		all = append(all, inRoot(r)...)
	}
	order := map[string]int{}
	for i, r := range roots {
		order[r.Name] = i
	}
	slices.SortStableFunc(all, func(a, b Skill) int {
		return cmp.Or(
			cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			cmp.Compare(order[a.Root], order[b.Root]),
			cmp.Compare(a.Location, b.Location),
		)
	})
	winner := map[string]string{}
	for i := range all {
		s := &all[i]
		if s.Off != "" {
			continue
		}
		key := strings.ToLower(s.Name)
		switch by, hidden := winner[key]; {
		case hidden:
			s.Off = "hidden by " + by
			continue
		default:
			winner[key] = s.Location
		}
		if allowed != nil && !slices.ContainsFunc(allowed, func(n string) bool { return strings.EqualFold(n, s.Name) }) {
			s.Off = "the agent's list of skills does not name it"
			continue
		}
		s.Off = s.Needs.unmet(place)
	}
	return all
}

// inRoot reads every SKILL.md beneath a root. A root that is not there has none.
func inRoot(r Root) []Skill {
	var out []Skill
	folders := 0
	walk := func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && p == ".":
			return fs.SkipAll
		case err != nil:
			out = append(out, broken(r, p, err))
			return fs.SkipDir
		case d.IsDir():
			folders++
			if folders > maxFolders {
				out = append(out, broken(r, p, fmt.Errorf("more than %d folders below %s: this one and those after it were not looked into", maxFolders, r.At)))
				return fs.SkipAll
			}
			if strings.Count(p, "/") >= maxDepth || p != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
		case strings.EqualFold(d.Name(), "SKILL.md"):
			out = append(out, load(r, p))
		}
		return nil
	}
	// walk itself never fails: every error becomes a skill that is off.
	_ = fs.WalkDir(r.FS, ".", walk)
	return out
}

// broken is a skill that could not be read: off, with the reason.
func broken(r Root, p string, err error) Skill {
	name := path.Base(path.Dir(p))
	if name == "." {
		name = path.Base(p)
	}
	return Skill{Name: name, Root: r.Name, Location: r.At + p, Off: r.At + p + ": " + err.Error(), Fault: true}
}

// load reads one SKILL.md.
func load(r Root, p string) Skill {
	data, err := readFile(r.FS, p)
	if err != nil {
		return broken(r, p, err)
	}
	s, err := parse(data)
	if err != nil {
		return broken(r, p, err)
	}
	sum := sha256.Sum256(data)
	s.Root, s.Location, s.Hash = r.Name, r.At+p, hex.EncodeToString(sum[:])
	return s
}

// readFile reads a regular file within the size limit.
func readFile(fsys fs.FS, p string) ([]byte, error) {
	st, err := fs.Stat(fsys, p)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	}
	f, err := fsys.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		return nil, fmt.Errorf("it has more than %d bytes: move what is long into files beside it", maxFile)
	}
	return data, err
}
