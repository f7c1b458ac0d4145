package store

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzUnseal must never take a record that was not sealed for its key, and give
// back exactly what was.
func FuzzUnseal(f *testing.F) {
	f.Add([]byte("key"), []byte(`{"a":1}`), 0, byte(0))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 1}, []byte{}, 3, byte(1))
	f.Add([]byte(""), []byte("x"), 5, byte(0x80))
	f.Fuzz(func(t *testing.T, key, payload []byte, at int, flip byte) {
		raw := seal(key, payload)
		got, err := unseal(key, raw)
		if err != nil || !bytes.Equal(got, payload) {
			t.Fatalf("%q %v", got, err)
		}
		if _, err := unseal(append(bytes.Clone(key), 'x'), raw); err == nil {
			t.Error("a record of another key was taken")
		}
		if flip == 0 || at < 0 || at >= len(raw) {
			return
		}
		raw[at] ^= flip
		if _, err := unseal(key, raw); err == nil {
			t.Errorf("byte %d changed and nobody saw it", at)
		}
	})
}

// FuzzDecodeEntry reads anything: an entry or an error, and an entry reads the
// same again.
func FuzzDecodeEntry(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "{}\n1", `{"time":"2026-11-30T08:00:00Z","kind":"message","turn":"t1"}` + "\n" + `{"text":"a\nb"}`,
		`{"kind":"note"}` + "\n{\"a\":\n1}", `{"kind":"note"}` + "\n", `{"kind":""}` + "\n1", `{"kind":"x","time":"soon"}` + "\n1", `{"kind":"x"}` + "\n1 2",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		e, err := decodeEntry(7, payload)
		if err != nil {
			return
		}
		if e.Kind == "" || e.Seq != 7 || !json.Valid(e.Data) {
			t.Fatalf("not an entry: %+v", e)
		}
		again, err := e.encode()
		if err != nil {
			if e.Time.Year() > 9999 || e.Time.Year() < 0 {
				return
			}
			t.Fatal(err)
		}
		back, err := decodeEntry(7, again)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(e, back); d != "" {
			t.Error(d)
		}
	})
}

func TestUnsealSaysWhatIsWrong(t *testing.T) {
	key := []byte("k")
	newer := seal(key, []byte("x"))
	newer[0] = recordVersion + 1
	wrong := seal(key, []byte("x"))
	wrong[5] = 'y'
	for want, raw := range map[string][]byte{
		"record of 0 bytes is too short":                nil,
		"record of 4 bytes is too short":                {1, 2, 3, 4},
		"record has format 0, known is 1":               {0, 0, 0, 0, 0},
		"record has format 2, known is 1":               newer,
		"record of 6 bytes does not match its checksum": wrong,
	} {
		_, err := unseal(key, raw)
		if err == nil || err.Error() != want {
			t.Errorf("%x: got %v, want %s", raw, err, want)
		}
	}
}

func TestEntryDataKeepsItsBytes(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	want := Entry{Kind: "note", Time: t0.Add(time.Hour).In(time.FixedZone("lab", 3600)), Data: json.RawMessage("{ \"a\" :\n\t\"<\\u003c\u2028\",\"b\":1.0e+2 }")}
	mustAppend(t, s, "main", want)
	got := mustEntries(t, s, "main")[0]
	want.Seq, want.Time = 1, want.Time.UTC()
	diff(t, "entry", got, want)
}

func TestAppendRefusesWhatItCouldNotGiveBack(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	good := message("good")
	for name, bad := range map[string]Entry{
		"no kind": {Data: []byte(`1`)}, "no data": {Kind: "note"}, "no JSON": {Kind: "note", Data: []byte(`{`)},
		"two values": {Kind: "note", Data: []byte(`1 2`)},
		"no year":    {Kind: "note", Data: []byte(`1`), Time: time.Date(12_000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if err := add(s, "main", good, bad); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for _, id := range []string{"", string(make([]byte, maxSessionID+1))} {
		if err := add(s, id, good); err == nil {
			t.Errorf("a session name of %d bytes was taken", len(id))
		}
	}
	if _, err := s.Sessions.EntriesFrom("", 0, 0); err == nil {
		t.Error("entries of no session were given")
	}
	sessions, err := s.Sessions.List()
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "sessions", sessions, []SessionInfo{})
}
