package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

const (
	// maxLine bounds one line of a stream, in bytes; api.Client takes 8 MB.
	maxLine = 4 << 20
	// maxBody bounds a reply that is no stream, in bytes.
	maxBody = 32 << 20
)

// recorder is what passes by on the wire for one request: the raw lines, since the
// api package knows neither prompt_eval_cached_count nor the exact bytes of a
// call's arguments, and the read error, since api.Client drops it. It is written
// by the goroutine that reads the body.
type recorder struct {
	stream bool     // the reply is NDJSON
	keys   []string // one of these has to be in a reply that is no stream
	lines  [][]byte // raw lines that nobody took yet
	count  int      // lines seen
	err    error    // why the body ended early
	// foreign is true when an error reply is not in Ollama's form.
	foreign bool
}

// take gives the oldest line that nobody took yet.
func (t *recorder) take() []byte {
	if len(t.lines) == 0 {
		return nil
	}
	l := t.lines[0]
	t.lines = t.lines[1:]
	return l
}

// undecoded reports whether the last line was no error of the server's and still
// did not get through the api package: it has another shape than Ollama's.
func (t *recorder) undecoded() bool {
	if len(t.lines) == 0 {
		return false
	}
	var form struct {
		Error string `json:"error"`
	}
	return json.Unmarshal(t.lines[len(t.lines)-1], &form) != nil || form.Error == ""
}

// recorderKey is the context key of a request's recorder.
type recorderKey struct{}

// withRecorder has the request that uses the context recorded.
func withRecorder(ctx context.Context, t *recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, t)
}

// recording is a transport that records replies and checks that they are Ollama's.
type recording struct {
	next   http.RoundTripper
	client *Client
}

// RoundTrip puts a checking reader before the reply's body.
func (t *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	rec, ok := req.Context().Value(recorderKey{}).(*recorder)
	if !ok {
		return resp, nil
	}
	r := &reader{rec: rec, foreign: t.client.notOllama, close: resp.Body}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		r.fail(t.client.notOllama(fmt.Sprintf("it answers with a redirect (HTTP %d)", resp.StatusCode)))
	case resp.StatusCode >= 400:
		r.rest = refusalBody(rec, resp.Body)
	case rec.stream:
		r.src = bufio.NewReader(resp.Body)
	default:
		r.whole(resp.Body)
	}
	resp.Body = r
	resp.ContentLength = -1
	return resp, nil
}

// refusalBody reads an error reply and notes whether it has Ollama's form, which
// is an object whose "error" is a text. It gives one line in every case, since
// api.Client takes a stream's error reply by lines.
func refusalBody(t *recorder, body io.Reader) []byte {
	raw, err := io.ReadAll(io.LimitReader(body, maxLine))
	if err != nil {
		t.err = err
	}
	var form struct {
		Error *string `json:"error"`
	}
	t.foreign = json.Unmarshal(raw, &form) != nil || form.Error == nil
	var line bytes.Buffer
	if json.Compact(&line, raw) == nil && line.Len() > 0 {
		return append(line.Bytes(), '\n')
	}
	line.Reset()
	line.WriteString(quoted(string(raw)))
	if line.Len() == 0 {
		line.WriteString("{}")
	}
	return append(line.Bytes(), '\n')
}

// reader hands on the body that it checks: whole valid lines, or nothing.
type reader struct {
	rec     *recorder
	foreign func(what string) *Error
	src     *bufio.Reader
	rest    []byte // checked bytes that wait to be read
	err     error
	close   io.Closer
}

// Read gives checked bytes. After an error it gives the same error again.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		if r.src == nil {
			return 0, io.EOF
		}
		r.line()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close closes the body.
func (r *reader) Close() error { return r.close.Close() }

// fail ends the reading with an error that the recorder keeps.
func (r *reader) fail(err error) { r.err, r.rec.err = err, err }

// line takes the next line of a stream. Blank lines are passed over.
func (r *reader) line() {
	raw, err := readLine(r.src)
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 && err == io.EOF:
		r.err = io.EOF
		return
	case len(raw) == 0 && err == nil:
		return
	case err != nil && err != io.EOF:
		r.fail(err)
		return
	case raw[0] != '{' || !json.Valid(raw):
		r.fail(r.bad(raw, err == io.EOF))
		return
	}
	r.rec.count++
	r.rec.lines = append(r.rec.lines, raw)
	r.rest = append(bytes.Clone(raw), '\n')
}

// bad is the error of a line that is no JSON object: another server when it is
// the first, a broken stream when the last, else damage.
func (r *reader) bad(raw []byte, last bool) error {
	switch {
	case r.rec.count == 0:
		return r.foreign("it answers " + excerpt(raw))
	case last:
		return io.ErrUnexpectedEOF
	}
	return unreadable(fmt.Errorf("line %d of the stream is no JSON object: %.60q", r.rec.count+1, raw))
}

// errLongLine is a line above maxLine.
var errLongLine = errors.New("a line of the stream is longer than 4 MB")

// readLine reads up to and without the next newline. With io.EOF the bytes are
// the last line, which lacks its newline.
func readLine(src *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := src.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, unreadable(errLongLine)
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// whole takes a reply that is one JSON object with a known key.
func (r *reader) whole(body io.Reader) {
	raw, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if err != nil {
		r.fail(err)
		return
	}
	var object map[string]json.RawMessage
	if len(raw) > maxBody || json.Unmarshal(raw, &object) != nil {
		r.fail(r.foreign("it answers " + excerpt(raw)))
		return
	}
	known := len(r.rec.keys) == 0
	for _, k := range r.rec.keys {
		if _, ok := object[k]; ok {
			known = true
		}
	}
	if !known {
		r.fail(r.foreign(fmt.Sprintf("its reply has no %q", r.rec.keys[0])))
		return
	}
	r.rec.count++
	r.rest = raw
}
