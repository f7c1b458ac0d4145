package gateway

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hardshell/runtime/event"
)

// TestExport holds that an export is given line by line as it is kept, and that
// what broke it off reaches the client behind the lines.
func TestExport(t *testing.T) {
	a := &echo{}
	c := serve(t, a)
	var b strings.Builder
	if err := AuditExport.Copy(t.Context(), c, &b); err != nil || b.String() != lines {
		t.Errorf("%q, %v", b.String(), err)
	}
	want := &event.Problem{Code: "damaged", Message: "segment „2“ can't be read\nat all", Hint: "restore it"}
	a.export = want
	b.Reset()
	var p *event.Problem
	if err := AuditExport.Copy(t.Context(), c, &b); !errors.As(err, &p) || b.String() != lines {
		t.Fatalf("%q, %v", b.String(), err)
	}
	if d := cmp.Diff(want, p); d != "" {
		t.Error(d)
	}
	full := errors.New("the disk is full")
	if err := AuditExport.Copy(t.Context(), c, failing{full}); !errors.Is(err, full) {
		t.Error(err)
	}
}

func (a *echo) MarkSeen(context.Context, All) (int, error) { return 3, nil }

// TestSeen holds that a person hears of how many records nobody is told any more.
func TestSeen(t *testing.T) {
	if n, err := MarkSeen.Ask(t.Context(), serve(t, &echo{}), All{}); n != 3 || err != nil {
		t.Errorf("seen: %d, %v", n, err)
	}
}

// failing is a writer that can't.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
