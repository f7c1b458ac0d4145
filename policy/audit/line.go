package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Line is one record of the audit: a decision and what came of it.
type Line struct {
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"time"`
	// Kind is decision, act, note (what happened without a call), or start: a program
	// that a command starts by itself, at its first sight.
	Kind    string `json:"kind"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Turn    string `json:"turn,omitempty"`
	Run     string `json:"run,omitempty"`
	Call    string `json:"call,omitempty"`
	Tool    string `json:"tool,omitempty"`
	// Subject is the action as one line, secrets redacted; Digest binds it.
	Subject  string   `json:"subject,omitempty"`
	Digest   string   `json:"digest,omitempty"`
	Verdict  string   `json:"verdict,omitempty"`
	Rule     string   `json:"rule,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Approval string   `json:"approval,omitempty"`
	Outcome  string   `json:"outcome,omitempty"`
	Layers   []string `json:"layers,omitempty"`
	// Starts are the programs that a command started by itself, or was kept from
	// starting.
	Starts []string `json:"starts,omitempty"`
	Millis int64    `json:"ms,omitempty"`
	// Prev is the chain value of the record before, Chain this record's own; both
	// are filled in by the store.
	Prev  string `json:"prev"`
	Chain string `json:"chain"`
}

// ChainValue binds a record to the one before it: the hex HMAC-SHA256 under key
// of prev and of the record's JSON without its own Chain. Whoever lacks the key
// can't make it, and a record that was changed, moved or left out no longer
// matches. The record must be as JSON gives it back (valid UTF-8, UTC time).
//
// A field that joins Line later must be omitempty, or records of before would
// no longer match.
func ChainValue(key []byte, prev string, r Line) string {
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
