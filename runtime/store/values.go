package store

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// Value is one small value of a namespace: a grant, a fact, a job.
type Value struct {
	Key string
	// Version is the format that the owner of the namespace gave it.
	Version int
	Data    json.RawMessage
}

// Values are the small values of the store, by namespace and key.
type Values struct{ *database }

// storedValue is a Value as it is stored under its key.
type storedValue struct {
	Version int             `json:"version"`
	Data    json.RawMessage `json:"data"`
}

// Put stores v under namespace and key, replacing what was there. version is the
// format of v, given back by Get and List.
func (vs *Values) Put(namespace, key string, version int, v any) error {
	if namespace == "" || key == "" {
		return errors.New("a value without namespace or key: name both")
	}
	data, err := valueJSON(v)
	if err != nil {
		return err
	}
	raw, err := sealJSON([]byte(key), storedValue{Version: version, Data: data})
	if err != nil {
		return err
	}
	return vs.update("store "+namespace+"/"+key, func(tx *bbolt.Tx) error {
		b, err := bucket(tx, bucketValues)
		if err != nil {
			return err
		}
		if b, err = b.CreateBucketIfNotExists([]byte(namespace)); err != nil {
			return err
		}
		return b.Put([]byte(key), raw)
	})
}

// Get gives one value. A value that can't be read counts as missing, is kept
// aside and named in Notices.
func (vs *Values) Get(namespace, key string) (v Value, ok bool, err error) {
	var found []bad
	err = vs.view("read "+namespace+"/"+key, func(tx *bbolt.Tx) error {
		b, err := values(tx, namespace)
		if b == nil || err != nil {
			return err
		}
		raw := b.Get([]byte(key))
		if raw == nil {
			return nil
		}
		v, ok, found = readValue(namespace, key, raw, found)
		return nil
	})
	vs.keepAside(found)
	return v, ok, err
}

// List gives all values of a namespace in the order of their keys. One that
// can't be read is kept aside and named in Notices; the others are given.
func (vs *Values) List(namespace string) ([]Value, error) {
	out := []Value{}
	var found []bad
	err := vs.view("read "+namespace, func(tx *bbolt.Tx) error {
		b, err := values(tx, namespace)
		if b == nil || err != nil {
			return err
		}
		return b.ForEach(func(k, raw []byte) error {
			var v Value
			var ok bool
			if v, ok, found = readValue(namespace, string(k), raw, found); ok {
				out = append(out, v)
			}
			return nil
		})
	})
	vs.keepAside(found)
	return out, err
}

// Delete removes a value; one that isn't there is no error.
func (vs *Values) Delete(namespace, key string) error {
	return vs.update("remove "+namespace+"/"+key, func(tx *bbolt.Tx) error {
		b, err := values(tx, namespace)
		if b == nil || err != nil {
			return err
		}
		return b.Delete([]byte(key))
	})
}

// values gives the bucket of a namespace, nil when nothing is in it yet.
func values(tx *bbolt.Tx, namespace string) (*bbolt.Bucket, error) {
	b, err := bucket(tx, bucketValues)
	if err != nil {
		return nil, err
	}
	return b.Bucket([]byte(namespace)), nil
}

// readValue reads one record, or adds it to the bad ones.
func readValue(namespace, key string, raw []byte, found []bad) (Value, bool, []bad) {
	var sv storedValue
	if err := unsealJSON([]byte(key), raw, &sv); err != nil {
		return Value{}, false, append(found, bad{
			path:  [][]byte{bucketValues, []byte(namespace)},
			key:   []byte(key),
			raw:   append([]byte(nil), raw...),
			where: fmt.Sprintf("%s/%s", namespace, key),
			why:   err,
		})
	}
	return Value{Key: key, Version: sv.Version, Data: sv.Data}, true, found
}
