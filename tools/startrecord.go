package tools

import (
	"context"
	"fmt"

	"hardshell/policy"
	"hardshell/policy/audit"
)

// mostStartRecords bounds the records of what one command starts by itself. What goes
// beyond is counted in the record of the act.
const mostStartRecords = 200

// keep puts a decision about a program that the command starts by itself on record, so
// that a kill at any instant loses none: at its first sight, one for each program and
// verdict. How often it was started stands in the record of the act, or of the end of a
// command in the background. What the action names is on record with it.
func (s *starts) keep(one Start, rule string, why error) error {
	key := one.Program
	if why != nil {
		key += "\n"
	}
	if rule == "" || s.known[key] || len(s.known) > mostStartRecords {
		return nil
	}
	rec := s.record(one, rule, why)
	if len(s.known) == mostStartRecords {
		rec.Subject = fmt.Sprintf("further programs than the first %d, counted at the end", mostStartRecords)
	}
	if err := s.k.r.cfg.Auditor.Record(context.Background(), rec); err != nil {
		return fmt.Errorf("the audit can't be kept, so it was not started: %w", err)
	}
	s.known[key] = true
	return nil
}

// record is one decision as it is kept.
func (s *starts) record(one Start, rule string, why error) audit.Line {
	redactor := s.k.r.cfg.Redactor
	rec := s.k.record("start")
	rec.Verdict, rec.Rule, rec.Approval = policy.Allow.String(), rule, ""
	rec.Reason = "started by " + Line(s.k.prepared.Action.Redacted(redactor.Redact).Command())
	if why != nil {
		rec.Verdict, rec.Reason = policy.Deny.String(), redactor.Redact(why.Error())+"; "+rec.Reason
	}
	argv := append([]string{one.Program}, one.Argv[min(1, len(one.Argv)):]...)
	rec.Subject = Line(&policy.Exec{Argv: redactor.All(argv)})
	return rec
}
