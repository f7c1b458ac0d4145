package approval

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
	"hardshell/runtime/store"
	"hardshell/tools"
)

// faulty is a ledger of which one act on one namespace fails, named "put grants".
type faulty struct {
	shelf
	fails string
}

var errDisk = errors.New("the disk is full")

func (f *faulty) fault(act, ns string) error {
	if f.fails == act+" "+ns {
		return errDisk
	}
	return nil
}

func (f *faulty) Put(ns, key string, version int, v any) error {
	if err := f.fault("put", ns); err != nil {
		return err
	}
	return f.shelf.Put(ns, key, version, v)
}

func (f *faulty) List(ns string) ([]store.Value, error) {
	if err := f.fault("list", ns); err != nil {
		return nil, err
	}
	return f.shelf.List(ns)
}

func (f *faulty) Delete(ns, key string) error {
	if err := f.fault("delete", ns); err != nil {
		return err
	}
	return f.shelf.Delete(ns, key)
}

// A broker whose ledger can't be read does not open: it would give numbers twice, or
// forget what is allowed.
func TestBrokerThatCantBeRead(t *testing.T) {
	for fails, want := range map[string]string{
		"list " + nsQuestions:   "read the open questions: the disk is full",
		"delete " + nsQuestions: "close question a1: the disk is full",
		"list " + nsGrants:      "read the grants: the disk is full",
		"list " + nsCounter:     "read the number of the last question: the disk is full",
	} {
		f := &faulty{shelf: shelf{}, fails: fails}
		if err := f.shelf.Put(nsQuestions, "a1", approvalFmt, event.Approval{ID: "a1"}); err != nil {
			t.Fatal(err)
		}
		if d, err := Open(time.Now, f); d != nil || err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", fails, err, want)
		}
	}
	f := shelf{nsCounter: {"last": {Key: "last", Version: approvalFmt, Data: json.RawMessage(`"x"`)}}}
	if _, err := Open(time.Now, f); err == nil || !strings.HasPrefix(err.Error(), "read the number of the last question: ") {
		t.Errorf("a number that is none: %v", err)
	}
}

// What can't be kept does not count: no number, no question, no grant, no revocation.
func TestBrokerThatCantKeep(t *testing.T) {
	f := &faulty{shelf: shelf{}}
	d, err := Open(time.Now, f)
	if err != nil {
		t.Fatal(err)
	}
	number := func(want string, fault error) {
		t.Helper()
		if got, err := d.NextID(); got != want || !errors.Is(err, fault) {
			t.Errorf("number %q, %v; want %q, %v", got, err, want, fault)
		}
	}
	number("a1", nil)
	f.fails = "put " + nsCounter
	number("", errDisk)
	f.fails = ""
	number("a2", nil)

	shown := 0
	answers := []string{}
	d.Join("main/t1", func(e event.Event) {
		shown++
		if e.Kind != event.ApprovalAsked {
			return
		}
		err := d.Answer(e.Approval.ID, "always", "terminal")
		answers = append(answers, text(err))
		if err != nil {
			answers = append(answers, text(d.Answer(e.Approval.ID, "once", "terminal")))
		}
	})
	scan := pythonRun("i2cdetect", "-l")
	f.fails = "put " + nsQuestions
	if a, err := d.Ask(t.Context(), scan); a != tools.AnswerDeny || text(err) != "keep question a1: the disk is full" || shown != 0 || len(d.Open()) != 0 {
		t.Errorf("%v %v, shown %d, open %v", a, err, shown, d.Open())
	}
	f.fails = "put " + nsGrants
	a, err := d.Ask(t.Context(), scan)
	if a != tools.AnswerOnce || err != nil || len(d.Grants()) != 0 {
		t.Errorf("%v %v, grants %v", a, err, d.Grants())
	}
	f.fails = ""
	if a, err := d.Ask(t.Context(), scan); a != tools.AnswerAlways || err != nil {
		t.Error(a, err)
	}
	if diff := cmp.Diff([]string{"keep the grant: the disk is full", "", ""}, answers); diff != "" {
		t.Error(diff)
	}
	f.fails = "delete " + nsGrants
	g := d.Grants()[0]
	if got, err := d.Revoke(g.Digest); got != (Grant{}) || text(err) != "take the grant back: the disk is full" || len(d.Grants()) != 1 {
		t.Errorf("%+v %v, grants %v", got, err, d.Grants())
	}
}

// text is an error's, empty for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Lists are in the order of time. A grant is taken back by as much of its digest as
// names it alone; one of another format counts for nothing.
func TestGrantsAreListedAndNamed(t *testing.T) {
	kept := shelf{}
	digest := func(head string) string { return head + strings.Repeat("0", 64-len(head)) }
	given := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i, head := range []string{"bbbbbbbb2", "aaaaaaaa1", "bbbbbbbb1"} {
		if err := kept.Put(nsGrants, digest(head), approvalFmt, Grant{Digest: digest(head), Given: given.Add(time.Duration(-i) * time.Minute)}); err != nil {
			t.Fatal(err)
		}
	}
	for key, version := range map[string]int{digest("cc"): approvalFmt, digest("dd"): approvalFmt + 1} {
		if err := kept.Put(nsGrants, key, version, Grant{Digest: digest("dd")}); err != nil {
			t.Fatal(err)
		}
	}
	kept[nsGrants][digest("ee")] = store.Value{Key: digest("ee"), Version: approvalFmt, Data: json.RawMessage(`{"digest":"` + digest("ee") + `","given":7}`)}
	d := newBroker(kept)
	heads := func() (out []string) {
		for _, g := range d.Grants() {
			out = append(out, strings.TrimRight(g.Digest, "0"))
		}
		return out
	}
	if diff := cmp.Diff([]string{"bbbbbbbb1", "aaaaaaaa1", "bbbbbbbb2"}, heads()); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct{ name, message string }{
		{"bbbbbbbb", `2 standing permissions begin with "bbbbbbbb"`},
		{"aaaaaaa", `no standing permission begins with "aaaaaaa"`},
		{"aaaaaaaa2", `no standing permission begins with "aaaaaaaa2"`},
		{"", `no standing permission begins with ""`},
	} {
		var p *event.Problem
		if _, err := d.Revoke(c.name); !errors.As(err, &p) || p.Code != "no_grant" || p.Message != c.message {
			t.Errorf("%q: %v", c.name, err)
		}
	}
	for _, name := range []string{"aaaaaaaa", digest("bbbbbbbb2")} {
		if g, err := d.Revoke(name); err != nil || !strings.HasPrefix(g.Digest, name) {
			t.Errorf("%q: %+v %v", name, g, err)
		}
	}
	if diff := cmp.Diff([]string{"bbbbbbbb1"}, heads()); diff != "" {
		t.Error(diff)
	}
	if left := slices.Sorted(func(yield func(string) bool) {
		for key := range kept[nsGrants] {
			if !yield(strings.TrimRight(key, "0")) {
				return
			}
		}
	}); !slices.Equal(left, []string{"bbbbbbbb1", "cc", "dd", "ee"}) {
		t.Errorf("kept %q", left)
	}
}

// Open questions stand in the order in which they were asked.
func TestOpenQuestionsStandInTheirOrder(t *testing.T) {
	d := newBroker(shelf{})
	for _, id := range []string{"a10", "a9", "a2", "a11"} {
		d.open[id] = &question{asked: event.Approval{ID: id}}
	}
	var ids []string
	for _, q := range d.Open() {
		ids = append(ids, q.ID)
	}
	if diff := cmp.Diff([]string{"a2", "a9", "a10", "a11"}, ids); diff != "" {
		t.Error(diff)
	}
	d.expired["a1"] = true
	for id, code := range map[string]string{"a1": "expired", "a99": "no_question"} {
		var p *event.Problem
		if err := d.Answer(id, "once", "terminal"); !errors.As(err, &p) || p.Code != code {
			t.Errorf("%s: %v, want %s", id, err, code)
		}
	}
}
