package store

import (
	"time"

	"go.etcd.io/bbolt"
)

// head is where the audit stands. It is kept in the store, apart from the
// segments, so that a cut tail or a chain computed anew is found.
type head struct {
	Seq   uint64 `json:"seq"`   // of the newest record, 0 before the first
	Count uint64 `json:"count"` // records ever kept
	Chain string `json:"chain"`
	// Segment is the file that holds the newest record, Size its length after
	// that record, in bytes.
	Segment string `json:"segment"`
	Size    int64  `json:"size"`
	// Key is a fingerprint of the chain's key.
	Key string `json:"key"`
}

var (
	keyHead      = []byte("head")
	incidentsKey = []byte("incidents")
)

var keyBase = []byte("base")

// base is the record that the oldest segment continues.
type base struct {
	Seq   uint64 `json:"seq"`
	Chain string `json:"chain"`
}

// incident is what a start found wrong with the audit and what a later look at
// the files could no longer show. Verify tells of it for ever after.
type incident struct {
	Time time.Time `json:"time"`
	Seq  uint64    `json:"seq"`
	What string    `json:"what"`
	// Explained is true for what a restore of the store brings with it; it is
	// then no problem but worth knowing.
	Explained bool `json:"explained,omitempty"`
}

// marks is what the store knows of the audit, apart from its files.
type marks struct{ *database }

// putHead stores where the audit stands.
func putHead(tx *bbolt.Tx, h head) error {
	b, err := bucket(tx, bucketAudit)
	if err != nil {
		return err
	}
	raw, err := sealJSON(keyHead, h)
	if err != nil {
		return err
	}
	return b.Put(keyHead, raw)
}

// readHead gives the stored head; ok is false when there is none or it can't be
// read.
func (m marks) readHead() (h head, ok bool, err error) {
	err = m.view("read the head of the audit", func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketAudit)
		if b == nil {
			return nil
		}
		raw := b.Get(keyHead)
		ok = raw != nil && unsealJSON(keyHead, raw, &h) == nil
		return nil
	})
	return h, ok, err
}

// readBase gives where the chain begins; the zero base is its true beginning.
func (m marks) readBase() (at base, err error) {
	err = m.view("read the audit", func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketAudit)
		if b == nil || b.Get(keyBase) == nil {
			return nil
		}
		return unsealJSON(keyBase, b.Get(keyBase), &at)
	})
	return at, err
}

// incidents lists what earlier starts found.
func (m marks) incidents() ([]incident, error) {
	var out []incident
	err := m.view("read the audit's incidents", func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketAudit)
		if b == nil || b.Bucket(incidentsKey) == nil {
			return nil
		}
		return b.Bucket(incidentsKey).ForEach(func(k, v []byte) error {
			var in incident
			if err := unsealJSON(k, v, &in); err != nil {
				in = incident{What: "a note of an earlier incident can't be read: " + err.Error()}
			}
			out = append(out, in)
			return nil
		})
	})
	return out, err
}
