package policy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// ChainValue binds a record to the one before it: the hex HMAC-SHA256 under key
// of prev and of the record's JSON without its own Chain. Whoever lacks the key
// can't make it, and a record that was changed, moved or left out no longer
// matches. The record must be as JSON gives it back (valid UTF-8, UTC time).
//
// A field that joins Record later must be omitempty, or records of before would
// no longer match.
func ChainValue(key []byte, prev string, r Record) string {
	r.Chain = ""
	b, err := json.Marshal(r)
	if err != nil { // plain strings, numbers and times always marshal
		panic("policy: internal error: " + err.Error())
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(prev))
	mac.Write([]byte{'\n'})
	mac.Write(b)
	return hex.EncodeToString(mac.Sum(nil))
}
