package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"sync"
)

// recordVersion is the newest format of a single record. A record begins with
// its version (one byte) and a checksum over key and payload (four bytes, big
// endian), so that a flipped bit is found where bbolt itself would not look.
const recordVersion = 1

const recordHeader = 5

// castagnoli is the table of the checksums, made by the first one.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// seal wraps payload for key.
func seal(key, payload []byte) []byte {
	out := make([]byte, recordHeader, recordHeader+len(payload))
	out[0] = recordVersion
	binary.BigEndian.PutUint32(out[1:], checksum(out[0], key, payload))
	return append(out, payload...)
}

// unseal gives the payload of a record, or why it can't be read. The result
// shares memory with raw.
func unseal(key, raw []byte) ([]byte, error) {
	if len(raw) < recordHeader {
		return nil, fmt.Errorf("record of %d bytes is too short", len(raw))
	}
	if raw[0] == 0 || raw[0] > recordVersion {
		return nil, fmt.Errorf("record has format %d, known is %d", raw[0], recordVersion)
	}
	payload := raw[recordHeader:]
	if binary.BigEndian.Uint32(raw[1:]) != checksum(raw[0], key, payload) {
		return nil, fmt.Errorf("record of %d bytes does not match its checksum", len(raw))
	}
	return payload, nil
}

func checksum(version byte, key, payload []byte) uint32 {
	table := castagnoli()
	sum := crc32.Update(0, table, []byte{version})
	sum = crc32.Update(sum, table, key)
	return crc32.Update(sum, table, payload)
}

// sealJSON wraps v as JSON.
func sealJSON(key []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return seal(key, b), nil
}

// unsealJSON reads a record that sealJSON made.
func unsealJSON(key, raw []byte, v any) error {
	payload, err := unseal(key, raw)
	if err != nil {
		return err
	}
	return json.Unmarshal(payload, v)
}

// seqKey is the key of an entry: big endian, so that keys sort by number.
func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }
