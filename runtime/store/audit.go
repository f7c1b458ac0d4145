package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"go.etcd.io/bbolt"

	"hardshell/policy"
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

// audit appends to the chain. One record costs the same whatever came before.
type audit struct {
	s   *Store
	key []byte

	mu   sync.Mutex
	head head
	file *os.File // the segment of head, nil until the first append
	name string
	// stale is true when a failed append may have left bytes behind Size.
	stale bool
}

// keyPrint is how the head names a key without giving it away.
func keyPrint(key []byte) string {
	sum := sha256.Sum256(append([]byte("hardshell audit key\n"), key...))
	return hex.EncodeToString(sum[:8])
}

// Record keeps one record, sequence and chain filled in. When it returns nil,
// the record is on the disk; otherwise nothing of it is. It goes ahead even when
// ctx is done: what happened is kept. Record implements tools.Auditor.
func (s *Store) Record(_ context.Context, r policy.Record) error { return s.audit.append(r) }

func (a *audit) append(r policy.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	line, next, err := a.next(r)
	if err != nil {
		return err
	}
	const op = "keep an audit record"
	if err := a.write(line, &next); err != nil {
		return errors.Join(classify(a.s.dir, op, err), a.undo())
	}
	if err := a.s.update(op, func(tx *bbolt.Tx) error { return putHead(tx, next) }); err != nil {
		a.stale = true
		return errors.Join(err, a.undo())
	}
	a.head = next
	return nil
}

// next makes the line of a record and the head after it.
func (a *audit) next(r policy.Record) ([]byte, head, error) {
	if r.Time.IsZero() {
		r.Time = a.s.opts.Now()
	}
	r.Time = r.Time.UTC()
	r.Seq, r.Prev, r.Chain = a.head.Seq+1, a.head.Chain, ""
	// What JSON changes (bytes that are no UTF-8) has to be changed before the
	// chain value is taken, or the record would never verify.
	b, err := json.Marshal(r)
	if err != nil {
		return nil, head{}, fmt.Errorf("audit record: %w; give it a time between the years 0 and 9999", err)
	}
	var clean policy.Record
	if err := json.Unmarshal(b, &clean); err != nil {
		return nil, head{}, fmt.Errorf("audit record: %w; give it plain text", err)
	}
	clean.Chain = policy.ChainValue(a.key, a.head.Chain, clean)
	line, err := json.Marshal(clean)
	if err != nil {
		return nil, head{}, fmt.Errorf("audit record: %w; give it plain text", err)
	}
	next := a.head
	next.Seq, next.Chain, next.Key = clean.Seq, clean.Chain, keyPrint(a.key)
	next.Count++
	return append(line, '\n'), next, nil
}

// write appends a line to its segment and syncs it.
func (a *audit) write(line []byte, next *head) error {
	if a.stale {
		if err := a.undo(); err != nil {
			return err
		}
	}
	if next.Segment == "" || next.Size > 0 && next.Size+int64(len(line)) > a.s.opts.SegmentBytes {
		next.Segment, next.Size = segmentName(next.Seq), 0
	}
	if err := a.openSegment(next.Segment); err != nil {
		return err
	}
	a.stale = true // until the head says otherwise
	if _, err := a.file.WriteAt(line, next.Size); err != nil {
		return err
	}
	if !a.s.opts.NoSync {
		if err := syscall.Fdatasync(int(a.file.Fd())); err != nil {
			return err
		}
	}
	next.Size += int64(len(line))
	a.stale = false
	return nil
}

// openSegment makes name the open segment.
func (a *audit) openSegment(name string) error {
	if a.file != nil && a.name == name {
		return nil
	}
	path := filepath.Join(a.s.path(auditDir), name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	if err := a.s.syncDir(a.s.path(auditDir)); err != nil {
		return errors.Join(err, f.Close())
	}
	if a.file != nil {
		err = a.file.Close()
	}
	a.file, a.name = f, name
	return err
}

// undo cuts the open segment back to what the head covers, so that a failed
// append leaves nothing. Where even that fails, the next append tries again.
func (a *audit) undo() error {
	if a.file == nil {
		return nil
	}
	size := int64(0)
	if a.name == a.head.Segment {
		size = a.head.Size
	}
	if err := a.file.Truncate(size); err != nil {
		a.stale = true
		return classify(a.s.dir, "take back half an audit record", err)
	}
	a.stale = false
	return nil
}

func (a *audit) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file == nil {
		return nil
	}
	f := a.file
	a.file = nil
	return f.Close()
}

// segmentName is the file that begins with record seq.
func segmentName(seq uint64) string { return fmt.Sprintf("%012d.jsonl", seq) }

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
func (s *Store) readHead() (h head, ok bool, err error) {
	err = s.view("read the head of the audit", func(tx *bbolt.Tx) error {
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

// loadKey reads the chain's key, making it where there is none. made tells which.
func (s *Store) loadKey() (key []byte, made bool, err error) {
	path := s.path(keyName)
	b, err := os.ReadFile(path)
	if err == nil {
		if key, err = hex.DecodeString(string(trimNewline(b))); err == nil && len(key) == sha256.Size {
			return key, false, nil
		}
		aside, err := s.setAside(keyName, "damaged")
		if err != nil {
			return nil, false, err
		}
		s.notice("audit_key_damaged", "the key of the audit could not be read and is kept as "+aside, "put the right key back as "+path+" and start again")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, false, classify(s.dir, "read the key of the audit", err)
	}
	key = make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	tmp, err := s.writeTemp(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%x\n", key)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if err := os.Rename(tmp, path); err != nil {
		return nil, false, errors.Join(classify(s.dir, "store the key of the audit", err), os.Remove(tmp))
	}
	return key, true, s.syncDir(s.dir)
}

func trimNewline(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\n' {
		return b[:n-1]
	}
	return b
}
