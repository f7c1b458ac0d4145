package term

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"hardshell/tools/secret"
)

// historyFile is the name of the input history in the state folder.
const historyFile = "chat_history"

// History keeps what was typed, newest last, and appends it to a file, one JSON
// string a line, so that a pasted message stays one entry. A file that can't be
// written costs the history and nothing else.
type History struct {
	path    string // empty: in memory alone
	keep    int
	masker  *secret.Redactor // no secret value is kept
	entries []string
	err     error // the first reason why the file could not be kept
}

// OpenHistory reads the history of a state folder, of "" none; keep 0 keeps none.
func OpenHistory(state string, keep int, m *secret.Redactor) *History {
	h := &History{keep: keep, masker: m}
	if keep == 0 || state == "" {
		return h
	}
	h.path = filepath.Join(state, historyFile)
	f, err := os.Open(h.path)
	if err != nil {
		return h // the first time there is none
	}
	defer f.Close()
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); lines++ {
		var entry string
		if json.Unmarshal(s.Bytes(), &entry) == nil {
			h.push(entry)
		}
	}
	if lines > 2*keep {
		h.rewrite()
	}
	return h
}

// push adds an entry in memory.
func (h *History) push(entry string) {
	h.entries = append(h.entries, entry)
	if n := len(h.entries) - h.keep; n > 0 {
		h.entries = h.entries[n:]
	}
}

// rewrite cuts the file down to what is kept.
func (h *History) rewrite() {
	var out []byte
	for _, e := range h.entries {
		out = append(out, encodeEntry(e)...)
	}
	if err := renameio.WriteFile(h.path, out, 0o600); err != nil && h.err == nil {
		h.err = err
	}
}

// encodeEntry is an entry as a line of the file.
func encodeEntry(entry string) []byte {
	b, err := json.Marshal(entry)
	if err != nil { // a string always marshals
		panic("agent: internal error: " + err.Error())
	}
	return append(b, '\n')
}

// Add keeps an entry. The editor calls it with single lines, chat with the whole
// of a pasted message.
func (h *History) Add(entry string) {
	entry = h.masker.Redact(entry)
	if h.keep == 0 || entry == "" || len(h.entries) > 0 && h.entries[len(h.entries)-1] == entry {
		return
	}
	h.push(entry)
	if h.path == "" {
		return
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(encodeEntry(entry))
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil && h.err == nil {
		h.err = err
	}
}

// Err is the first reason why the file could not be kept; nil when it was.
func (h *History) Err() error { return h.err }

// Len is the number of entries.
func (h *History) Len() int { return len(h.entries) }

// At is the entry that is i steps back.
func (h *History) At(i int) string { return h.entries[len(h.entries)-1-i] }
