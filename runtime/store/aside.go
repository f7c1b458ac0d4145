package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// dropped is a record that could not be read, with its bytes as they were found.
type dropped struct {
	Time time.Time `json:"time"` // when it was set aside
	// Where names its place: "session main, entry 12", "jobs/j3".
	Where string `json:"where"`
	Why   string `json:"why"`
	Bytes []byte `json:"bytes"`
	// Seen is true once a person said that they know of it.
	Seen bool `json:"seen,omitempty"`
}

// codeAside is the code of notices of records that were set aside.
const codeAside = "store_record_aside"

// noteAside leaves a notice of a record that was set aside.
func (d *database) noteAside(where, why string) {
	d.notice(codeAside, fmt.Sprintf("%s could not be read (%s) and is kept aside", where, why), "everything else is as it was; agent doctor --seen ends this notice")
}

// bad is a record that a read met and could not use.
type bad struct {
	path  [][]byte // buckets from the top
	key   []byte
	raw   []byte
	where string
	why   error
}

// keepAside moves records that can't be read out of the way of the good ones. A
// record that somebody changed meanwhile is left alone. When the move itself
// fails, the record stays where it is and is met again.
func (d *database) keepAside(found []bad) {
	if len(found) == 0 {
		return
	}
	err := d.update("set a bad record aside", func(tx *bbolt.Tx) error {
		to, err := tx.CreateBucketIfNotExists(bucketAside)
		if err != nil {
			return err
		}
		for _, b := range found {
			if err := d.moveAside(tx, to, b); err != nil {
				return err
			}
		}
		return nil
	})
	for _, b := range found {
		if err == nil {
			d.noteAside(b.where, b.why.Error())
			continue
		}
		d.notice("store_record_unread", fmt.Sprintf("%s can't be read (%v)", b.where, b.why), "everything else is as it was")
	}
}

func (d *database) moveAside(tx *bbolt.Tx, to *bbolt.Bucket, b bad) error {
	from := tx.Bucket(b.path[0])
	for _, name := range b.path[1:] {
		if from != nil {
			from = from.Bucket(name)
		}
	}
	if from == nil || string(from.Get(b.key)) != string(b.raw) {
		return nil
	}
	n, err := to.NextSequence()
	if err != nil {
		return err
	}
	key := seqKey(n)
	raw, err := sealJSON(key, dropped{Time: d.opts.Now().UTC(), Where: b.where, Why: b.why.Error(), Bytes: b.raw})
	if err != nil {
		return err
	}
	if err := to.Put(key, raw); err != nil {
		return err
	}
	return from.Delete(b.key)
}

// keptAside lists the records that could not be read, oldest first.
func (d *database) keptAside() ([]dropped, error) {
	out := []dropped{}
	err := d.view("read what was set aside", func(tx *bbolt.Tx) error {
		b, err := bucket(tx, bucketAside)
		if err != nil {
			return err
		}
		return b.ForEach(func(k, v []byte) error {
			out = append(out, readAside(k, v))
			return nil
		})
	})
	return out, err
}

// readAside reads one of them. One that can't be read itself is one.
func readAside(k, v []byte) dropped {
	var a dropped
	if err := unsealJSON(k, v, &a); err != nil {
		a = dropped{Where: "the list of records kept aside", Why: err.Error(), Bytes: append([]byte(nil), v...)}
	}
	return a
}

// remindAside leaves notices of what was set aside by earlier processes and that
// nobody has seen yet.
func (d *database) remindAside() error {
	kept, err := d.keptAside()
	for _, a := range kept {
		if !a.Seen {
			d.noteAside(a.Where, a.Why)
		}
	}
	return err
}

// MarkSeen ends the notices of records that were set aside: a person knows of them.
// The records stay where they are. It gives how many that were.
func (s *Store) MarkSeen() (int, error) {
	n := 0
	err := s.db.update("note what was seen", func(tx *bbolt.Tx) error {
		n = 0
		b, err := bucket(tx, bucketAside)
		if err != nil {
			return err
		}
		changed := map[string][]byte{}
		err = b.ForEach(func(k, v []byte) error {
			a := readAside(k, v)
			if a.Seen {
				return nil
			}
			a.Seen = true
			raw, err := sealJSON(k, a)
			changed[string(k)] = raw
			return err
		})
		for k, raw := range changed {
			err = errors.Join(err, b.Put([]byte(k), raw))
		}
		n = len(changed)
		return err
	})
	if err != nil {
		return 0, err
	}
	s.db.withdraw(codeAside)
	return n, nil
}

// valueJSON guards against a caller's value that JSON can't hold, before any
// transaction begins.
func valueJSON(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("value of type %T can't be stored: %w; store plain data", v, err)
	}
	return b, nil
}
