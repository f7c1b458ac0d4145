package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"

	"hardshell/tools/lookup"

	"golang.org/x/sys/unix"

	"hardshell/policy"
)

// maxHashed is the size up to which a file is bound by its contents; a larger one is
// bound by its identity and its times, which no command can set back.
const maxHashed = 64 << 20

// bound is the digest that a person's answer binds: the action, and what the
// programs and files that it names hold now. A script that is changed afterwards is
// another action, and so are other words to write. What a file action touches is not
// bound: it is only a place.
func (k *call) bound() string {
	a := k.prepared.Action
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", a.Digest())
	if a.Binds() == policy.BindArguments {
		fmt.Fprintf(h, "arguments %s\n", k.args)
		return hex.EncodeToString(h.Sum(nil))
	}
	for _, word := range slices.Sorted(maps.Keys(k.facts.Programs)) {
		fmt.Fprintf(h, "program %q %s\n", word, held(k.facts.Programs[word].Real))
	}
	for _, word := range slices.Sorted(maps.Keys(k.facts.Paths)) {
		if p := k.facts.Paths[word]; p.Kind == "file" || p.Kind == "" { // opening a device may do something
			fmt.Fprintf(h, "path %q %s\n", word, held(p.Real))
		}
	}
	fmt.Fprintf(h, "git %q\n", k.facts.GitRuns)
	return hex.EncodeToString(h.Sum(nil))
}

// unbound is a path of a command that no answer can bind, empty when there is none.
func (k *call) unbound() string {
	for _, word := range slices.Sorted(maps.Keys(k.facts.Paths)) {
		if p := k.facts.Paths[word]; k.prepared.Action.Binds() == policy.BindContents && (p.Kind == "pipe" || p.Kind == "socket") {
			return word
		}
	}
	return ""
}

// held says what a file holds: its hash, its identity, or that it is no file.
func held(path string) string {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return "closed"
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	var st unix.Stat_t
	switch err := unix.Fstat(fd, &st); {
	case err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG:
		return "no file"
	case st.Size > maxHashed:
		return fmt.Sprint("identity ", st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim)
	}
	sum, err := lookup.HashFile(path)
	if err != nil {
		return "unreadable"
	}
	return sum
}
