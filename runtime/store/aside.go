package store

import (
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// Aside is a record that could not be read, with its bytes as they were found.
type Aside struct {
	Time time.Time `json:"time"` // when it was set aside
	// Where names its place: "session main, entry 12", "jobs/j3".
	Where string `json:"where"`
	Why   string `json:"why"`
	Bytes []byte `json:"bytes"`
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
		message := fmt.Sprintf("%s could not be read (%v) and is kept aside", b.where, b.why)
		if err != nil {
			message = fmt.Sprintf("%s can't be read (%v)", b.where, b.why)
		}
		d.notice("store_record_aside", message, "agent status shows it; everything else is as it was")
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
	raw, err := sealJSON(key, Aside{Time: d.opts.Now().UTC(), Where: b.where, Why: b.why.Error(), Bytes: b.raw})
	if err != nil {
		return err
	}
	if err := to.Put(key, raw); err != nil {
		return err
	}
	return from.Delete(b.key)
}

// KeptAside lists the records that could not be read, oldest first.
func (s *Store) KeptAside() ([]Aside, error) {
	out := []Aside{}
	err := s.db.view("read what was set aside", func(tx *bbolt.Tx) error {
		b, err := bucket(tx, bucketAside)
		if err != nil {
			return err
		}
		return b.ForEach(func(k, v []byte) error {
			var a Aside
			if err := unsealJSON(k, v, &a); err != nil {
				a = Aside{Where: "the list of records kept aside", Why: err.Error(), Bytes: append([]byte(nil), v...)}
			}
			out = append(out, a)
			return nil
		})
	})
	return out, err
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
