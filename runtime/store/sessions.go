package store

import (
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// maxSessionID bounds the name of a session, in bytes.
const maxSessionID = 512

// SessionInfo is what the list of sessions tells of one.
type SessionInfo struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	Last    uint64    `json:"last"` // number of the newest entry
	// Boundary is the number of the newest reset or compact entry, 0 when there
	// is none: replay may begin there.
	Boundary uint64 `json:"boundary,omitempty"`
}

// Sessions are the entries of the store, by session.
type Sessions struct{ *database }

// AppendAt adds entries to a session, all or none, and makes the session where it
// is new. When it returns nil they are on the disk. last is the number of the entry
// that the writer saw last. When somebody else wrote meanwhile
// nothing is stored and the error is a Conflict. It gives the number of the
// last entry stored.
func (ss *Sessions) AppendAt(session string, last uint64, entries ...Entry) (uint64, error) {
	if session == "" || len(session) > maxSessionID {
		return 0, fmt.Errorf("a session name has 1 to %d bytes, this one has %d: choose another", maxSessionID, len(session))
	}
	now := ss.opts.Now().UTC()
	payloads := make([][]byte, len(entries))
	for i, e := range entries {
		if e.Time.IsZero() {
			e.Time = now
		}
		e.Time = e.Time.UTC()
		var err error
		if payloads[i], err = e.encode(); err != nil {
			return 0, err
		}
	}
	err := ss.update("store the session", func(tx *bbolt.Tx) error {
		var err error
		last, err = appendTx(tx, session, last, now, entries, payloads)
		return err
	})
	if err != nil {
		return 0, err
	}
	return last, nil
}

func appendTx(tx *bbolt.Tx, session string, last uint64, now time.Time, entries []Entry, payloads [][]byte) (uint64, error) {
	all, err := bucket(tx, bucketEntries)
	if err != nil {
		return 0, err
	}
	b, err := all.CreateBucketIfNotExists([]byte(session))
	if err != nil {
		return 0, err
	}
	if at := b.Sequence(); last != at {
		return 0, conflict(session, last, at)
	}
	info := readInfo(tx, session)
	if info.Created.IsZero() {
		info.Created = now
	}
	for i, payload := range payloads {
		seq, err := b.NextSequence()
		if err != nil {
			return 0, err
		}
		// Entries only ever join at the end, so pages may be filled.
		b.FillPercent = 1
		key := seqKey(seq)
		if err := b.Put(key, seal(key, payload)); err != nil {
			return 0, err
		}
		if boundary(entries[i].Kind) {
			info.Boundary = seq
		}
	}
	info.ID, info.Updated, info.Last = session, now, b.Sequence()
	raw, err := sealJSON([]byte(session), info)
	if err != nil {
		return 0, err
	}
	index, err := bucket(tx, bucketSessions)
	if err != nil {
		return 0, err
	}
	return info.Last, index.Put([]byte(session), raw)
}

// readInfo gives what the index says of a session. The index can be made anew
// from the entries, so a bad record in it counts as none.
func readInfo(tx *bbolt.Tx, session string) SessionInfo {
	var info SessionInfo
	index := tx.Bucket(bucketSessions)
	if index == nil {
		return info
	}
	raw := index.Get([]byte(session))
	if raw == nil || unsealJSON([]byte(session), raw, &info) != nil {
		return SessionInfo{}
	}
	return info
}

// List gives the sessions in the order of their names.
func (ss *Sessions) List() ([]SessionInfo, error) {
	out := []SessionInfo{}
	err := ss.view("list the sessions", func(tx *bbolt.Tx) error {
		all, err := bucket(tx, bucketEntries)
		if err != nil {
			return err
		}
		return all.ForEachBucket(func(name []byte) error {
			out = append(out, sessionInfo(tx, all, string(name)))
			return nil
		})
	})
	return out, err
}

// Session tells of one session; ok is false when nothing was stored in it yet.
func (ss *Sessions) Session(id string) (info SessionInfo, ok bool, err error) {
	err = ss.view("look at the session", func(tx *bbolt.Tx) error {
		all, err := bucket(tx, bucketEntries)
		if err != nil {
			return err
		}
		if id == "" || all.Bucket([]byte(id)) == nil {
			return nil
		}
		info, ok = sessionInfo(tx, all, id), true
		return nil
	})
	return info, ok, err
}

// sessionInfo reads the index, or, where that is missing or behind, the entries
// themselves.
func sessionInfo(tx *bbolt.Tx, all *bbolt.Bucket, id string) SessionInfo {
	info := readInfo(tx, id)
	b := all.Bucket([]byte(id))
	if info.ID == id && info.Last == b.Sequence() {
		return info
	}
	info = SessionInfo{ID: id, Last: b.Sequence()}
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		e, err := readEntry(k, v)
		if err != nil {
			continue
		}
		if info.Created.IsZero() {
			info.Created = e.Time
		}
		info.Updated = e.Time
		if boundary(e.Kind) {
			info.Boundary = e.Seq
		}
	}
	return info
}

// EntriesFrom gives the entries of a session with numbers of at least from, at
// most limit of them; a limit of 0 gives all. One that can't be read is kept aside
// and named in Notices; the others are given.
func (ss *Sessions) EntriesFrom(session string, from uint64, limit int) ([]Entry, error) {
	out := []Entry{}
	var found []bad
	err := ss.view("read the session", func(tx *bbolt.Tx) error {
		all, err := bucket(tx, bucketEntries)
		if err != nil {
			return err
		}
		if session == "" {
			return errors.New("a session without a name: name one")
		}
		b := all.Bucket([]byte(session))
		if b == nil {
			return nil
		}
		c := b.Cursor()
		for k, v := c.Seek(seqKey(from)); k != nil; k, v = c.Next() {
			if limit > 0 && len(out) == limit {
				return nil
			}
			e, err := readEntry(k, v)
			if err != nil {
				found = append(found, badEntry(session, k, v, err))
				continue
			}
			out = append(out, e)
		}
		return nil
	})
	ss.keepAside(found)
	return out, err
}
