package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// formatVersion is the format of the whole file. It is raised whenever an older
// program could misread what a newer one writes.
const formatVersion = 1

var keyFormat = []byte("format")

// format is the first record of the file.
type format struct {
	Version int       `json:"version"`
	Created time.Time `json:"created"`
}

// open opens the file, or what replaces it. lost says what a restore cost, for
// the record; it is empty when nothing was lost.
func (d *database) open() (lost string, err error) {
	_, err = os.Lstat(d.path(dbName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if lost, err = d.replace(nil); err != nil {
			return "", err
		}
	case err != nil:
		return "", classify(d.dir, "open the store", err)
	}
	err = d.attach(dbName)
	if errors.Is(err, Damaged) {
		if lost, err = d.replace(cause(err)); err != nil {
			return "", err
		}
		err = d.attach(dbName)
	}
	if err != nil {
		return "", err
	}
	return lost, d.ensureBuckets()
}

// attach opens a file that is there: checked as bytes first, then by bbolt.
func (d *database) attach(name string) error {
	path := d.path(name)
	db, file, err := openBolt(path, d.opts)
	if err != nil {
		return err
	}
	d.bolt, d.file = db, file
	f, err := readFormat(db)
	if err == nil && f.Version > formatVersion {
		err = newer(path, f.Version)
	}
	if err != nil && !errors.Is(err, Newer) {
		err = damaged(path, err)
	}
	if err != nil {
		err = errors.Join(err, db.Close())
		d.bolt, d.file = nil, nil
	}
	return err
}

// openBolt opens one bbolt file. A file that makes no sense is Damaged; it is
// looked at under bbolt's own lock and before bbolt maps it.
func openBolt(path string, opts Options) (*bbolt.DB, *os.File, error) {
	var file *os.File
	var db *bbolt.DB
	err := caught(func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:      opts.LockWait,
			FreelistType: bbolt.FreelistMapType,
			NoSync:       opts.NoSync,
			NoGrowSync:   opts.NoSync,
			ReadOnly:     opts.look,
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				var err error
				file, err = openChecked(name, flag&^os.O_CREATE, mode)
				return file, err
			},
		})
		return err
	})
	if err == nil {
		return db, file, nil
	}
	var fault faultError
	if errors.As(err, &fault) {
		err = damaged(path, fault)
		_ = letGo(file)
	}
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, nil, busy(0, filepath.Dir(path))
	}
	return nil, nil, classify(filepath.Dir(path), "open the store", err)
}

// letGo closes a file behind bbolt's back. bbolt's map of it stays and would hold
// the lock for as long as the process lives.
func letGo(file *os.File) error {
	if file == nil {
		return nil
	}
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}

// openChecked opens a file and walks its pages.
func openChecked(path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW, mode)
	if err != nil {
		return nil, err
	}
	// bbolt takes this lock again, on the same open file. When somebody else has
	// it, its wait and its error are the right ones.
	how := syscall.LOCK_EX
	if flag&os.O_RDWR == 0 {
		how = syscall.LOCK_SH
	}
	if syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB) != nil {
		return f, nil
	}
	info, err := f.Stat()
	if err == nil {
		err = checkPages(f, info.Size())
	}
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, errNewerBolt):
		err = newer(path, formatVersion+1)
	case errors.Is(err, syscall.EIO):
	default:
		err = damaged(path, err)
	}
	return nil, errors.Join(err, f.Close())
}

// readFormat gives the format record of a file.
func readFormat(db *bbolt.DB) (format, error) {
	var f format
	err := caught(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			meta, err := bucket(tx, bucketMeta)
			if err != nil {
				return err
			}
			raw := meta.Get(keyFormat)
			if raw == nil {
				return errors.New("the file does not say its format")
			}
			for _, name := range buckets {
				if k, _ := tx.Cursor().Seek(name); bytes.Equal(k, name) && tx.Bucket(name) == nil {
					return fmt.Errorf("%q is no bucket", name)
				}
			}
			return unsealFormat(raw, &f)
		})
	})
	return f, err
}

// unsealFormat reads the format record whatever version its own envelope has,
// so that a newer store is known as newer and not taken for a damaged one.
func unsealFormat(raw []byte, f *format) error {
	if len(raw) > recordHeader && raw[0] > recordVersion {
		f.Version = formatVersion + 1
		return nil
	}
	return unsealJSON(keyFormat, raw, f)
}

// replace sets the file aside, where there is one, and puts the last snapshot or
// a new store in its place. why is nil when the file is simply not there.
func (d *database) replace(why error) (lost string, err error) {
	fresh, from, err := d.prepare()
	if err != nil {
		return "", err
	}
	aside := ""
	if why != nil {
		if aside, err = d.setAside(dbName, "damaged"); err != nil {
			return "", errors.Join(damaged(d.path(dbName), why), err, os.Remove(fresh))
		}
	}
	if err := os.Rename(fresh, d.path(dbName)); err != nil {
		return "", classify(d.dir, "put a new store in place", err)
	}
	if err := d.syncDir(d.dir); err != nil {
		return "", err
	}
	return d.noteReplaced(why, aside, from), nil
}

// noteReplaced leaves a notice of a replacement and gives its sentence, empty
// when a store was simply made.
func (d *database) noteReplaced(why error, aside, from string) string {
	what := dbName + " was not there"
	if why != nil {
		what = fmt.Sprintf("%s was damaged (%v) and is kept as %s", dbName, why, aside)
	}
	switch {
	case from != "":
		info, err := os.Stat(d.path(from))
		if err == nil {
			from = "the snapshot of " + info.ModTime().UTC().Format(time.RFC3339)
		}
		what += "; " + from + " was restored: what was stored after it is lost"
	case why != nil:
		what += "; there is no snapshot, so a new store was made: earlier sessions are lost"
	default:
		return ""
	}
	d.notice("store_restored", what, "agent audit verify shows what the audit still proves")
	return what
}

// prepare makes the replacement beside the file: a copy of the newest snapshot
// that is whole, else a new store.
func (d *database) prepare() (path, from string, err error) {
	for _, name := range []string{snapshotName, olderName} {
		path, err = d.copyChecked(name)
		switch {
		case err == nil:
			return path, name, nil
		case errors.Is(err, fs.ErrNotExist):
			continue
		}
		if !errors.Is(err, Damaged) {
			return "", "", err // a full disk, a newer snapshot: no reason to give it up
		}
		d.notice("snapshot_damaged", fmt.Sprintf("%s can't be used (%v)", name, cause(err)), "keep a copy of the state folder elsewhere")
	}
	path, err = d.create()
	return path, "", err
}

// copyChecked copies a snapshot to a temporary name and sees that it is a whole
// store. Its error is Damaged when it is not.
func (d *database) copyChecked(name string) (path string, err error) {
	src, err := os.Open(d.path(name))
	if err != nil {
		return "", err
	}
	path, err = d.writeTemp(func(w io.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
	if err = errors.Join(err, src.Close()); err != nil {
		return "", err
	}
	db, _, err := openBolt(path, d.opts)
	if err == nil {
		if _, err = readFormat(db); err != nil {
			err = damaged(d.path(name), err)
		}
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return path, nil
}

// create makes a new store under a temporary name, whole before it gets its own.
func (d *database) create() (string, error) {
	tmp, err := os.CreateTemp(d.dir, tempPrefix+"*")
	if err != nil {
		return "", classify(d.dir, "make a new store", err)
	}
	path := tmp.Name()
	err = tmp.Close()
	if err == nil {
		err = initBolt(path, d.opts)
	}
	if err != nil {
		return "", errors.Join(classify(d.dir, "make a new store", err), os.Remove(path))
	}
	return path, nil
}

// initBolt fills an empty file.
func initBolt(path string, opts Options) error {
	return caught(func() error {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: opts.NoSync, Timeout: opts.LockWait})
		if err != nil {
			return err
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			for _, name := range buckets {
				if _, err := tx.CreateBucket(name); err != nil {
					return err
				}
			}
			raw, err := sealJSON(keyFormat, format{Version: formatVersion, Created: opts.Now().UTC()})
			if err != nil {
				return err
			}
			if err := tx.Bucket(bucketMeta).Put(keyFormat, raw); err != nil {
				return err
			}
			return putHead(tx, head{})
		})
		return errors.Join(err, db.Close())
	})
}

// ensureBuckets makes a bucket that is missing, and says so.
func (d *database) ensureBuckets() error {
	var missing [][]byte
	err := d.view("open the store", func(tx *bbolt.Tx) error {
		for _, name := range buckets {
			if tx.Bucket(name) == nil {
				missing = append(missing, name)
			}
		}
		return nil
	})
	if err != nil || len(missing) == 0 {
		return err
	}
	err = d.update("make a missing bucket", func(tx *bbolt.Tx) error {
		for _, name := range missing {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.notice("store_bucket_missing", fmt.Sprintf("the store had no bucket %s; it was made anew, empty", missing), "restore a copy of the state folder if you miss something")
	return nil
}
