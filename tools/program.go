package tools

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

// lookProgram is the fact of one program word, relative to dir; absent when there
// is no such program. uid is the user that commands run as.
func lookProgram(dirs []string, dir, word string, uid int) (policy.Program, bool) {
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
		return program(word, uid)
	}
	for _, d := range dirs {
		if p, ok := program(filepath.Join(d, word), uid); ok {
			return p, true
		}
	}
	return policy.Program{}, false
}

// program looks at one file and reports whether it can be run.
func program(path string, uid int) (policy.Program, bool) {
	real, err := follow(path)
	if err != nil {
		return policy.Program{}, false
	}
	info, err := os.Lstat(real)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return policy.Program{}, false
	}
	p := policy.Program{Path: filepath.Clean(path), Real: real, Writable: writable(real, uid)}
	if p.Writable {
		if p.Hash, err = hashFile(real); err != nil {
			return policy.Program{}, false
		}
	}
	return p, true
}

// writable reports whether user uid, or whoever is in a group, can change the file
// or a folder above it. Root can change all; for root it is what lies outside the
// trees that the sandbox shows read-only.
func writable(real string, uid int) bool {
	if uid == 0 && !under(trusted, real) {
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

// under reports whether path is one of the trees or lies in one.
func under(trees []string, path string) bool {
	for _, t := range trees {
		if path == t || strings.HasPrefix(path, strings.TrimSuffix(t, "/")+"/") {
			return true
		}
	}
	return false
}

func hashFile(path string) (string, error) {
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
