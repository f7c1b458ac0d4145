package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// AuditExport writes every line of the audit to w in order, byte for byte as it
// is kept, broken ones too: AuditVerify judges them. Records that join meanwhile
// are not in it.
func (s *Store) AuditExport(w io.Writer) error {
	segs, err := s.audit.extent()
	if err != nil {
		return err
	}
	for _, g := range segs {
		if err := s.exportSegment(w, g); err != nil {
			return err
		}
	}
	return nil
}

// exportSegment writes one segment as far as it reached when the export began.
func (s *Store) exportSegment(w io.Writer, g segment) error {
	f, err := os.Open(filepath.Join(s.path(auditDir), g.name))
	if err != nil {
		return classify(s.dir, "read the audit", err)
	}
	_, err = io.Copy(w, io.LimitReader(f, g.size))
	return errors.Join(err, f.Close())
}
