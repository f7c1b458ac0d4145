// Package doctor says what is wrong with an agent, or could be better.
//
// It owns the findings: what is worth telling, how grave it is, and what to do about
// it. Look is a pure function of facts.
//
// It refuses to look for itself and to change anything: whoever asks gathers the
// facts, and a finding names the command that mends.
//
// Files: finding.go, facts.go (what is known, and what follows from it).
package doctor
