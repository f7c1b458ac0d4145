package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The kinds of entry that package session writes. The store treats two of them
// alike: after KindReset or KindCompact, what came before is not needed to know
// where the session stands.
const (
	KindMessage   = "message"
	KindPrefix    = "prefix"
	KindTurn      = "turn"
	KindDelivered = "told"
	KindKept      = "kept"
	KindReset     = "reset"
	KindCompact   = "compact"
)

// boundary reports whether replay may begin at an entry of this kind.
func boundary(kind string) bool { return kind == KindReset || kind == KindCompact }

// Entry is one thing that happened in a session. Entries are never changed.
type Entry struct {
	// Seq counts from 1 within a session; the store gives it. A number that is
	// missing belongs to a record that was set aside.
	Seq uint64
	// Time is when the entry was stored; the store fills it in when it is zero.
	Time time.Time
	Kind string
	Turn string // the turn it belongs to, may be empty
	// Data is a JSON value, kept byte for byte.
	Data json.RawMessage
}

// entryHead is an entry without its data, as it is stored in front of it.
type entryHead struct {
	Time time.Time `json:"time"`
	Kind string    `json:"kind"`
	Turn string    `json:"turn,omitempty"`
}

// encode gives the payload of an entry: its head as one line of JSON, then its
// data as it is.
func (e Entry) encode() ([]byte, error) {
	if e.Kind == "" {
		return nil, errors.New("entry without a kind: name one")
	}
	if !json.Valid(e.Data) {
		return nil, fmt.Errorf("data of a %s entry is no JSON: encode it first", e.Kind)
	}
	head, err := json.Marshal(entryHead{Time: e.Time, Kind: e.Kind, Turn: e.Turn})
	if err != nil {
		return nil, err
	}
	return append(append(head, '\n'), e.Data...), nil
}

// decodeEntry reads a payload. The result shares no memory with it.
func decodeEntry(seq uint64, payload []byte) (Entry, error) {
	head, data, ok := bytes.Cut(payload, []byte{'\n'})
	if !ok {
		return Entry{}, errors.New("entry without data")
	}
	var h entryHead
	if err := json.Unmarshal(head, &h); err != nil {
		return Entry{}, fmt.Errorf("head of an entry: %w", err)
	}
	if h.Kind == "" {
		return Entry{}, errors.New("entry without a kind")
	}
	if !json.Valid(data) {
		return Entry{}, fmt.Errorf("data of a %s entry is no JSON", h.Kind)
	}
	return Entry{Seq: seq, Time: h.Time, Kind: h.Kind, Turn: h.Turn, Data: bytes.Clone(data)}, nil
}

// readEntry reads one record of a session's bucket.
func readEntry(key, raw []byte) (Entry, error) {
	if len(key) != 8 {
		return Entry{}, fmt.Errorf("key of %d bytes is no entry number", len(key))
	}
	payload, err := unseal(key, raw)
	if err != nil {
		return Entry{}, err
	}
	return decodeEntry(binary.BigEndian.Uint64(key), payload)
}

// badEntry describes an entry that can't be read.
func badEntry(session string, key, raw []byte, why error) bad {
	where := fmt.Sprintf("session %s, entry %x", session, key)
	if len(key) == 8 {
		where = fmt.Sprintf("session %s, entry %d", session, binary.BigEndian.Uint64(key))
	}
	return bad{
		path:  [][]byte{bucketEntries, []byte(session)},
		key:   bytes.Clone(key),
		raw:   bytes.Clone(raw),
		where: where,
		why:   why,
	}
}
