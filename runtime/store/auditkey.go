package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// keyPrint is how the head names a key without giving it away.
func keyPrint(key []byte) string {
	sum := sha256.Sum256(append([]byte("hardshell audit key\n"), key...))
	return hex.EncodeToString(sum[:8])
}

var errNoKey = errors.New("the file holds no key")

// readKey reads the chain's key.
func readKey(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(string(trimNewline(b)))
	if err != nil || len(key) != sha256.Size {
		return nil, errNoKey
	}
	return key, nil
}

// loadKey reads the chain's key, making it where there is none.
func (f stateDir) loadKey() ([]byte, error) {
	path := f.path(keyName)
	key, err := readKey(path)
	switch {
	case err == nil:
		return key, nil
	case errors.Is(err, errNoKey):
		aside, err := f.setAside(keyName, "damaged")
		if err != nil {
			return nil, err
		}
		f.notice("audit_key_damaged", "the key of the audit could not be read and is kept as "+aside, "put the right key back as "+path+" and start again")
	case !errors.Is(err, fs.ErrNotExist):
		return nil, classify(f.dir, "read the key of the audit", err)
	}
	key = make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	tmp, err := f.writeTemp(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%x\n", key)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := os.Rename(tmp, path); err != nil {
		return nil, errors.Join(classify(f.dir, "store the key of the audit", err), os.Remove(tmp))
	}
	return key, f.syncDir(f.dir)
}

func trimNewline(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\n' {
		return b[:n-1]
	}
	return b
}
