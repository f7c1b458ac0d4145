package gateway

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"hardshell/runtime/event"
)

// Verb is something that a client asks and that has one answer. The same value tells
// the server what to do and the client what to send and to expect.
type Verb[Req, Ans any] struct {
	name  string // its path below /v1/
	looks bool   // it changes nothing, so that it may be done twice
	do    func(Agents, context.Context, Req) (Ans, error)
}

// look is a verb that changes nothing.
func look[Req, Ans any](name string, do func(Agents, context.Context, Req) (Ans, error)) Verb[Req, Ans] {
	return Verb[Req, Ans]{name, true, do}
}

// change is a verb with an effect.
func change[Req, Ans any](name string, do func(Agents, context.Context, Req) (Ans, error)) Verb[Req, Ans] {
	return Verb[Req, Ans]{name, false, do}
}

// act is a verb with an effect and nothing to tell of it.
func act[Req any](name string, do func(Agents, context.Context, Req) error) Verb[Req, struct{}] {
	return change(name, func(a Agents, ctx context.Context, q Req) (struct{}, error) { return struct{}{}, do(a, ctx, q) })
}

// Ask asks the agent at the other end. Its error keeps code, message and hint of the
// agent's own.
func (v Verb[Req, Ans]) Ask(ctx context.Context, c *Client, q Req) (Ans, error) {
	var ans Ans
	resp, err := c.send(ctx, v.name, q)
	if err != nil {
		return ans, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&ans); err != nil {
		var none Ans
		return none, away(ctx, err)
	}
	return ans, nil
}

// MayRepeat reports whether a question that failed so can be asked again: no agent took
// it, or one that took it went away and it changes nothing.
func (v Verb[Req, Ans]) MayRepeat(err error) bool { return NotTaken(err) || v.looks && isAway(err) }

func (v Verb[Req, Ans]) path() string { return v.name }

// handle is the server's end.
func (v Verb[Req, Ans]) handle(a Agents) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, ok := body[Req](w, r)
		if !ok {
			return
		}
		ans, err := v.do(a, r.Context(), q)
		if err != nil {
			write(w, http.StatusUnprocessableEntity, errorBody{*event.ProblemOf(err)})
			return
		}
		write(w, http.StatusOK, ans)
	}
}

// Stream is something that a client begins and then follows event by event.
type Stream[Req any] struct {
	name string
	run  func(a Agents, ctx context.Context, q Req, see func(event.Event))
}

// Follow hands the events to see in order until see has enough; ready is called once the
// agent has taken the request. An error means that the agent could not be reached or went
// away, or that ctx ended.
func (s Stream[Req]) Follow(ctx context.Context, c *Client, q Req, ready func(), see func(event.Event) (enough bool)) error {
	resp, err := c.send(ctx, s.name, q)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	ready()
	for d := json.NewDecoder(resp.Body); ; {
		var e event.Event
		if err := d.Decode(&e); err != nil {
			return away(ctx, err)
		}
		if see(e) {
			return nil
		}
	}
}

func (s Stream[Req]) path() string { return s.name }

// handle is the server's end: one JSON object a line. A client that goes away ends what
// runs.
func (s Stream[Req]) handle(a Agents) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		req, ok := body[Req](w, r)
		if !ok {
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.WriteHeader(http.StatusOK)
		lines, flush := json.NewEncoder(w), http.NewResponseController(w)
		_ = flush.Flush() // the client may go on
		q := newQueue()
		done := make(chan struct{})
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go func() {
			defer close(done)
			s.run(a, ctx, req, q.put)
			q.end()
		}()
		for e, more := q.take(); more; e, more = q.take() {
			if err := lines.Encode(e); err != nil {
				break // the client is gone: what runs for it ends with it
			}
			_ = flush.Flush()
		}
		cancel()
		<-done
	}
}

// Export is a text that an agent writes line by line as it is kept.
type Export struct {
	name string
	do   func(Agents, io.Writer) error
}

// exportError is the trailer of an export that broke off: an error in JSON.
const exportError = "Export-Error"

// Copy writes the lines to w. With an error w has a part of them.
func (x Export) Copy(ctx context.Context, c *Client, w io.Writer) error {
	resp, err := c.send(ctx, x.name, All{})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	out := &sink{w: w}
	_, err = io.Copy(out, resp.Body)
	switch {
	case out.err != nil:
		return out.err
	case err != nil:
		return away(ctx, err)
	}
	return broke(resp.Trailer.Get(exportError))
}

func (x Export) path() string { return x.name }

// handle is the server's end. An error that comes when lines are out already travels
// behind them.
func (x Export) handle(a Agents) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, ok := body[All](w, r); !ok {
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.Header().Set("Trailer", exportError)
		w.WriteHeader(http.StatusOK)
		if err := x.do(a, w); err != nil {
			b, _ := json.Marshal(event.ProblemOf(err)) // texts always marshal
			w.Header().Set(exportError, strconv.QuoteToASCII(string(b)))
		}
	}
}

// sink remembers what kept its writer from writing.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, err = s.w.Write(p)
	s.err = err
	return n, err
}

// broke is the error that an export's trailer carries, nil when there is none.
func broke(trailer string) error {
	if trailer == "" {
		return nil
	}
	p := &event.Problem{Code: "failed", Message: "the export broke off: " + trailer}
	if text, err := strconv.Unquote(trailer); err == nil {
		_ = json.Unmarshal([]byte(text), p) // what can't be read stands as it came
	}
	return p
}
