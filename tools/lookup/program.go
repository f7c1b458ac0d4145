package lookup

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"hardshell/policy"
)

// SystemDirs are where a program word without a slash is looked for, in this
// order. No environment can change it.
func SystemDirs() []string {
	return []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
}

// trusted are the trees that commands can never write, whoever they run as: the
// sandbox shows them read-only.
var trusted = []string{"/usr", "/bin", "/sbin", "/lib", "/lib64"}

// SystemTrees are those trees.
func SystemTrees() []string { return trusted }

// Program is the fact of one program word, relative to dir; absent when there
// is no such program. uid is the user that commands run as.
func Program(dirs []string, dir, word string, uid int) (policy.Program, bool) {
	if word == "" || strings.ContainsRune(word, 0) || len(word) > 4096 {
		return policy.Program{}, false
	}
	if strings.Contains(word, "/") {
		if !filepath.IsAbs(word) {
			if !filepath.IsAbs(dir) {
				return policy.Program{}, false
			}
			word = dir + "/" + word
		}
		return ProgramAt(word, uid)
	}
	for _, d := range dirs {
		if p, ok := ProgramAt(filepath.Join(d, word), uid); ok {
			return p, true
		}
	}
	return policy.Program{}, false
}

// ProgramAt looks at one file and reports whether it can be run.
func ProgramAt(path string, uid int) (policy.Program, bool) {
	real, err := Follow(path)
	if err != nil {
		return policy.Program{}, false
	}
	info, err := os.Lstat(real)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return policy.Program{}, false
	}
	p := policy.Program{Path: filepath.Clean(path), Real: real, Writable: Writable(real, uid)}
	if p.Writable {
		if p.Hash, err = HashFile(real); err != nil {
			return policy.Program{}, false
		}
	}
	return p, true
}

// Writable reports whether user uid, or whoever is in a group, can change the file
// or a folder above it. Root can change all; for root it is what lies outside the
// trees that the sandbox shows read-only.
func Writable(real string, uid int) bool {
	if uid == 0 && !Under(trusted, real) {
		return true
	}
	for at := real; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return true // what can't be looked at is not trusted
		}
		owner := uint32(0)
		gid := uint32(0)
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			owner, gid = st.Uid, st.Gid
		}
		m := info.Mode()
		sticky := m.IsDir() && m&fs.ModeSticky != 0 // only owners can replace entries there
		switch {
		case owner != 0 && (uid == 0 || owner == uint32(uid)):
			return true
		case m.Perm()&0o002 != 0 && !sticky:
			return true
		case m.Perm()&0o020 != 0 && gid != 0 && !sticky:
			return true
		}
		if at == "/" {
			return false
		}
	}
}

// Under reports whether path is one of the trees or lies in one.
func Under(trees []string, path string) bool {
	for _, t := range trees {
		if path == t || strings.HasPrefix(path, strings.TrimSuffix(t, "/")+"/") {
			return true
		}
	}
	return false
}

// HashFile is the hex sha-256 of a file.
func HashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
