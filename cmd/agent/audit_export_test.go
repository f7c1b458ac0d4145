package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// halfway is an audit that breaks off.
type halfway struct{ err error }

func (h halfway) AuditExport(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, "{\"seq\":1}\n{\"seq\":2}\n")
	return errors.Join(err, h.err)
}

// TestExportLeavesAllOrNothing holds that of an export which fails no file stays
// behind, and that one which does not is for its owner's eyes alone.
func TestExportLeavesAllOrNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var out bytes.Buffer
	c := &invocation{stdout: &out}
	broken := errors.New("segment 2 is gone")
	if err := exportTo(t.Context(), c, halfway{broken}, path); !errors.Is(err, broken) || out.Len() > 0 {
		t.Errorf("%v, told %q", err, out.String())
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
	if err := exportTo(t.Context(), c, halfway{}, path); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("2 records in "+path+"\n", out.String()); d != "" {
		t.Error(d)
	}
	if st, err := os.Stat(path); err != nil || st.Mode() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}
