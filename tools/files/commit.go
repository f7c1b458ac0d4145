package files

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// step is one file of a commit: new contents, or away with it.
type step struct {
	at     *place
	old    []byte // what it holds now
	now    []byte
	remove bool
	like   fs.FileInfo // gives mode and owner; nil: a new file's
}

// commit changes several files: all of them, or none. No kernel renames two files in
// one instant, so the way back is prepared and on record before the first is touched:
// each new file lies beside the old one, and the old one has a second name. A commit
// that is cut off is taken back by whoever starts next.
type commit struct {
	roots *Roots
	dir   string // of the journal
	steps []*step
	log   journal
}

func (c *commit) add(s *step) { c.steps = append(c.steps, s) }

// run makes the commit. After an error every file is as it was, or the error says
// which one is not and why.
func (c *commit) run() error {
	c.log = journal{Version: journalVersion, Files: []entry{}}
	for _, s := range c.steps {
		e, err := s.entry()
		if err != nil {
			return err
		}
		c.log.Files = append(c.log.Files, e)
	}
	if err := c.log.begin(c.dir); err != nil {
		return fmt.Errorf("nothing was changed: the journal of the patch can't be kept: %w; free space on the disk", err)
	}
	err := c.forward()
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return c.back(err)
	}
	c.log.clean(func(i int) *place { return c.steps[i].at })
	return nil
}

// forward prepares every file, then puts each in place.
func (c *commit) forward() error {
	for i, s := range c.steps {
		if err := s.prepare(c.log.Files[i]); err != nil {
			return err
		}
	}
	for i, s := range c.steps {
		if err := s.place(c.log.Files[i]); err != nil {
			return err
		}
	}
	for _, s := range c.steps {
		if err := s.at.dir.Sync(); err != nil {
			return fmt.Errorf("the folder of %s can't be synced: %w; check the disk", s.at.path, reason(err))
		}
	}
	return nil
}

// finish puts on record that there is no way back.
func (c *commit) finish() error {
	c.log.Done = true
	if err := c.log.save(); err != nil {
		return fmt.Errorf("the journal of the patch can't be kept: %w", err)
	}
	return nil
}

// back takes everything back, the last step first.
func (c *commit) back(cause error) error {
	var left []string
	var broken error
	for i, s := range slices.Backward(c.steps) {
		if len(s.at.missing) > 0 { // not even its folder was made
			continue
		}
		why, err := c.log.Files[i].undo(s.at.dir)
		if why != "" {
			left = append(left, fmt.Sprintf("%s %s", s.at.path, why))
		}
		broken = errors.Join(broken, err)
	}
	c.log.unmake(c.roots)
	switch {
	case broken != nil:
		return fmt.Errorf("%w. The patch could not be taken back either: %w. The next start of the agent tries again; look at the files until then", cause, broken)
	case len(left) > 0:
		c.log.end()
		return fmt.Errorf("%w. The patch was taken back, but %s", cause, strings.Join(left, ", and "))
	}
	c.log.end()
	return fmt.Errorf("%w. Nothing was changed: every file of the patch is as it was", cause)
}

// entry is what the journal has to know of a step.
func (s *step) entry() (entry, error) {
	e := entry{Path: s.at.facts.Real, Temp: secondMark + rand.Text(), Keep: secondMark + rand.Text()}
	if s.at.info != nil {
		e.Old = sum(s.old)
	}
	if !s.remove {
		e.New = sum(s.now)
	}
	dir, err := nameOf(s.at.dir)
	if err != nil {
		return e, err
	}
	for _, name := range s.at.missing {
		dir = filepath.Join(dir, name)
		e.Made = append(e.Made, dir)
	}
	return e, nil
}

// prepare lays the new file beside the old one and gives the old one a second name.
func (s *step) prepare(e entry) error {
	if err := s.at.makeFolders(); err != nil {
		return err
	}
	dir := int(s.at.dir.Fd())
	if !s.remove {
		if err := writeNew(dir, e.Temp, s.now, s.like); err != nil {
			return s.at.cannot(err)
		}
	}
	if s.at.info == nil {
		return nil
	}
	// Through the descriptor: exactly the file that was judged.
	held := fmt.Sprintf("/proc/self/fd/%d", s.at.file.Fd())
	if err := unix.Linkat(unix.AT_FDCWD, held, dir, e.Keep, unix.AT_SYMLINK_FOLLOW); err == nil {
		return nil
	}
	// No links on this file system, or none to this file: a copy does.
	if err := writeNew(dir, e.Keep, s.old, s.at.info); err != nil {
		return s.at.cannot(err)
	}
	return nil
}

// place puts the new file in place, or takes the old one away.
func (s *step) place(e entry) error {
	dir := int(s.at.dir.Fd())
	if err := s.at.unchanged(dir); err != nil {
		return err
	}
	if s.remove {
		if err := unix.Unlinkat(dir, s.at.base, 0); err != nil && !errors.Is(err, unix.ENOENT) {
			return s.at.cannot(err)
		}
		return nil
	}
	if err := s.at.rename(dir, e.Temp); err != nil {
		return s.at.cannot(err)
	}
	return nil
}

// Sum is the hex sha-256 of a file's contents.
func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
