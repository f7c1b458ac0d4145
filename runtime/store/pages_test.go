package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
)

// grown makes a bbolt file with everything that its format has: branches, long
// values on overflow pages, buckets in place and nested ones, a free list.
func grown(t testing.TB, pageSize int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "grown")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: pageSize, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for i := range 300 {
			b, err := tx.CreateBucketIfNotExists(fmt.Append(nil, "bucket ", i%7))
			if err != nil {
				return err
			}
			nested, err := b.CreateBucketIfNotExists(fmt.Append(nil, "nested ", i%3))
			if err != nil {
				return err
			}
			if err := nested.Put(fmt.Append(nil, "key ", i), bytes.Repeat([]byte{'v'}, i*i%5000)); err != nil {
				return err
			}
		}
		_, err := tx.CreateBucket([]byte("empty"))
		return err
	})
	if err == nil {
		err = db.Update(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("bucket 3")) })
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPagesOfEverySize reads sound files of every page size, also with either
// meta page gone, which is what bbolt keeps two for.
func TestPagesOfEverySize(t *testing.T) {
	for size := 1 << 10; size <= 1<<16; size *= 2 {
		b := grown(t, size)
		if err := checkPages(bytes.NewReader(b), int64(len(b))); err != nil {
			t.Errorf("page size %d: %v", size, err)
		}
		for _, meta := range []int{0, size} {
			one := bytes.Clone(b)
			clear(one[meta : meta+pageHeader+metaSize])
			if err := checkPages(bytes.NewReader(one), int64(len(one))); err != nil {
				t.Errorf("page size %d without the meta page at %d: %v", size, meta, err)
			}
		}
		none := bytes.Clone(b)
		clear(none[:2*size])
		if checkPages(bytes.NewReader(none), int64(len(none))) == nil {
			t.Errorf("page size %d: sound without a meta page", size)
		}
	}
}

// TestTheWalkTakesTheMetaPageThatBboltTakes spoils one of the two: what was walked
// under the other would say nothing about what bbolt reads.
func TestTheWalkTakesTheMetaPageThatBboltTakes(t *testing.T) {
	const size = 4096
	for what, spoil := range map[string]func(page []byte){
		"nothing":    func([]byte) {},
		"its kind":   func(p []byte) { p[8] = 0 },
		"its header": func(p []byte) { clear(p[:pageHeader]) },
		"its magic":  func(p []byte) { p[pageHeader]++ },
		"its sum":    func(p []byte) { p[pageHeader+metaSize-1]++ },
		"its format": func(p []byte) { order.PutUint32(p[pageHeader+4:], 1); sealMeta(p[pageHeader:]) },
	} {
		for page := range 2 {
			b := grown(t, size)
			spoil(b[page*size:])
			path := filepath.Join(t.TempDir(), dbName)
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			var took uint64
			err = db.View(func(tx *bbolt.Tx) error { took = uint64(tx.ID()); return nil })
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			diff(t, fmt.Sprintf("%s of page %d", what, page), metaOf(b).tx, took)
		}
	}
}

// TestEveryUsedPageCounts zeroes each page in turn: only a free one may go
// unnoticed.
func TestEveryUsedPageCounts(t *testing.T) {
	b := grown(t, 4096)
	m := metaOf(b)
	w := &walker{r: bytes.NewReader(b), meta: m, seen: make([]uint64, m.pages/64+1)}
	w.mark(0)
	w.mark(1)
	if err := w.walk(m.root, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	used, unnoticed := 0, 0
	for id := uint64(2); id < m.pages; id++ {
		if w.seen[id/64]&(1<<(id%64)) == 0 && id != m.freelist {
			continue
		}
		used++
		spoiled := bytes.Clone(b)
		clear(spoiled[id*4096 : (id+1)*4096])
		if checkPages(bytes.NewReader(spoiled), int64(len(spoiled))) == nil {
			unnoticed++ // the middle of a long value: the record's checksum finds that
			if order.Uint64(b[id*4096:]) == id {
				t.Errorf("page %d is gone and nobody noticed", id)
			}
		}
	}
	if used < 50 || unnoticed > used/2 {
		t.Errorf("%d pages in use, %d unnoticed: the test proves little", used, unnoticed)
	}
}

// FuzzCheckPages gives the walk anything: it must end, without a fault, and what
// it lets through bbolt must be able to open.
func FuzzCheckPages(f *testing.F) {
	b := grown(f, 1024)
	f.Add(b, 0, []byte{})
	f.Add(b, 2*1024, []byte{9, 9, 9, 9, 9, 9, 9, 9})
	f.Add(b[:3000], 40, []byte{0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{}, 0, []byte{})
	f.Fuzz(func(t *testing.T, b []byte, at int, patch []byte) {
		b = bytes.Clone(b)
		if at >= 0 && at < len(b) {
			copy(b[at:], patch)
		}
		if checkPages(bytes.NewReader(b), int64(len(b))) == nil {
			readAll(t, b)
		}
	})
}
