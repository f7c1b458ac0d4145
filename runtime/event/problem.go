package event

import "errors"

// ProblemOf is any error as the JSON surface has it, with its code and hint where it
// has them.
func ProblemOf(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	var told interface {
		Problem() (code, message, hint string)
	}
	if errors.As(err, &told) {
		code, message, hint := told.Problem()
		return &Problem{Code: code, Message: message, Hint: hint}
	}
	p = &Problem{Code: "failed", Message: err.Error()}
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		p.Hint = h.Hint()
	}
	return p
}
