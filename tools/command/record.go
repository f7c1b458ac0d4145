package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hardshell/tools"
	"hardshell/tools/text"

	"golang.org/x/sys/unix"
)

// ProcessRecord is a command in the background as it is kept over restarts.
type ProcessRecord struct {
	ID string `json:"id"` // "p1", "p2", …; never used twice
	// Agent and Session say whose it is: no other session sees it.
	Agent   string `json:"agent"`
	Session string `json:"session"`
	// Subject is the command as one line, secrets redacted; Digest binds the action.
	Subject string       `json:"subject"`
	Digest  string       `json:"digest"`
	Cwd     string       `json:"cwd"`
	Began   time.Time    `json:"began"`
	Limit   string       `json:"limit"` // its time limit
	Holder  tools.Holder `json:"holder"`

	// Ended is when it ended, zero while it runs; How says how, in words.
	Ended  time.Time `json:"ended,omitzero"`
	How    string    `json:"how,omitempty"`
	Failed bool      `json:"failed,omitempty"`
	// Last is the end of what it wrote.
	Last string `json:"last,omitempty"`
	// Bytes is what it wrote in all; Head, Gap and GapLines say what of it the kept
	// file holds: its first Head bytes, then, behind a gap, its end.
	Bytes    int64 `json:"bytes,omitempty"`
	Head     int64 `json:"head,omitempty"`
	Gap      int64 `json:"gap,omitempty"`
	GapLines int   `json:"gap_lines,omitempty"`
	// Fault says why the kept file is not whole.
	Fault string `json:"fault,omitempty"`
	// Delivered is true once the model was told of the end.
	Delivered bool `json:"told,omitempty"`
	// Lost is how many earlier ends of the session were forgotten before the model was
	// told of them; it learns of them with this one.
	Lost int `json:"lost,omitempty"`
	// Stripped is true once the output was given up, while the end was not told yet.
	Stripped bool `json:"stripped,omitempty"`
}

// Runs reports whether it still runs.
func (r ProcessRecord) Runs() bool { return r.Ended.IsZero() }

// Ledger keeps records over restarts, each under its key. What Put has returned
// for is on the disk.
type Ledger interface {
	Put(key string, v any) error
	All() (map[string]json.RawMessage, error)
	Delete(key string) error
}

// lastKey is where the ledger keeps the number of the newest command.
const lastKey = "last"

// atRestart is how a command ended that the agent's own end took along.
const atRestart = "ended at restart: the agent's process was gone, and every command ends with it"

// number is the number of an id, 0 for what is none.
func number(id string) int {
	digits, ok := strings.CutPrefix(id, "p")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || "p"+strconv.Itoa(n) != id {
		return 0
	}
	return n
}

// load reads the records of earlier processes. What ran then is gone with the agent;
// should anything of it be left, it is ended. Outputs without a record are removed.
func (s *Processes) load() error {
	all, err := s.cfg.Ledger.All()
	if err != nil {
		return fmt.Errorf("read the commands of the last start: %w", err)
	}
	known := map[string]bool{}
	for _, key := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Compare(number(a), number(b)) }) {
		raw := all[key]
		if key == lastKey {
			n := 0
			if err := json.Unmarshal(raw, &n); err != nil {
				return fmt.Errorf("read the number of the last command: %w", err)
			}
			s.next = max(s.next, n)
			continue
		}
		known[key] = true
		var r ProcessRecord
		// One that can't be read stays where it is and costs nobody else.
		if json.Unmarshal(raw, &r) != nil || r.ID != key || number(key) == 0 || r.Agent != s.cfg.Agent {
			continue
		}
		s.next = max(s.next, number(key))
		if r.Runs() {
			if err := s.lost(&r); err != nil {
				return err
			}
		}
		s.all[r.ID] = settled(s, r)
	}
	if s.cfg.Look {
		return nil
	}
	return errors.Join(s.sweep(known), s.prune())
}

// lost closes the record of a command that an earlier process left running.
func (s *Processes) lost(r *ProcessRecord) error {
	r.How = atRestart
	if s.cfg.EndLeft != nil && s.cfg.EndLeft(r.Holder) {
		r.How += "; something of it was left and has been ended now"
	}
	r.Ended, r.Failed = s.cfg.Now(), true
	if k, err := s.kept(r.ID); err == nil {
		r.Head, r.Bytes, r.Last = int64(len(k)), int64(len(k)), text.Tail(string(k), lastWords)
		if r.Head >= s.startBytes() {
			r.How += fmt.Sprintf("; of its output only the first %d bytes are left", r.Head)
		}
	} else {
		r.Fault = err.Error()
	}
	if err := s.audit(*r, tools.Exit{}); err != nil {
		r.Fault = "its end can't be put on record: " + err.Error()
	}
	if err := s.cfg.Ledger.Put(r.ID, r); err != nil {
		return fmt.Errorf("close the record of command %s: %w", r.ID, err)
	}
	return nil
}

// startBytes is the most of an output's start that is in its file while the command
// runs; what follows is in memory until its end.
func (s *Processes) startBytes() int64 { return max(s.cfg.KeptBytes-ringBytes, 0) }

// create makes the file of a command's output. What lies there is left over, or a link
// that leads elsewhere: it goes, and is never written through.
func (s *Processes) create(id string) (*os.File, error) {
	if err := os.Remove(s.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(s.path(id), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// kept reads the file of a command's output, and no link, pipe or device in its place.
func (s *Processes) kept(id string) ([]byte, error) {
	f, err := os.OpenFile(s.path(id), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, errors.New("a link stands in its place")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("no file stands in its place")
	}
	return io.ReadAll(f)
}

// strip gives up the output of an ended command whose end still has to be told.
func (s *Processes) strip(id string) error {
	s.mu.Lock()
	p := s.all[id]
	s.mu.Unlock()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec.Stripped {
		return nil
	}
	p.rec.Stripped = true
	if err := s.cfg.Ledger.Put(id, p.rec); err != nil {
		p.rec.Stripped = false
		return fmt.Errorf("note that the output of %s is given up: %w", id, err)
	}
	if err := os.Remove(s.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the kept output of %s: %w", id, err)
	}
	return nil
}

// sweep removes outputs that no record speaks of.
func (s *Processes) sweep(known map[string]bool) error {
	files, err := os.ReadDir(s.cfg.Dir)
	if err != nil {
		return fmt.Errorf("look at the kept outputs: %w", err)
	}
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), ".txt"); ok && number(id) > 0 && !known[id] {
			if err := os.Remove(filepath.Join(s.cfg.Dir, f.Name())); err != nil {
				return fmt.Errorf("remove an output that no command has: %w", err)
			}
		}
	}
	return nil
}
