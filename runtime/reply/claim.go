package reply

import (
	"regexp"
	"sync"
)

// A small model likes to say that it has done what no tool did. The loop asks
// it once to act or to say plainly that it did not; if it insists, the person is
// told.

// claimed matches a sentence in which the speaker reports an act of its own as
// finished. It looks at how the answer opens its sentences, since talk about
// other people's acts ("the log was written by rig 2") is no claim.
var claimed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)(^|[.!]\s+)(done\b|all done\b|finished\b|` +
		`i('ve| have)( now| just| already)? (written|created|saved|set|turned|switched|deleted|removed|scheduled|started|stopped|run|executed|updated|added|moved|copied|rebooted)\b|` +
		`i (wrote|created|saved|set|turned|switched|deleted|removed|scheduled|started|stopped|ran|executed|updated|added|moved|copied|rebooted)\b|` +
		`(the )?(file|pin|relay|job|reminder|command|mode)\b[^.!?]{0,60}\b(has|have) been (written|created|saved|set|turned|switched|deleted|removed|scheduled|started|stopped|executed|updated|added)\b)`)
})

// Claims reports whether an answer claims that something was done.
func Claims(answer string) bool { return claimed().MatchString(answer) }

// promised matches a sentence that leaves the person waiting for a reminder, or
// says that one was set.
var promised = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)(^|[.!,:]\s+)(` +
		`i('ll| will|'m going to| am going to)( then| also| now)? (remind you\b|(alert|notify|wake|ping|warn) you (in|at|on|every|after|before|tomorrow|tonight)\b|set (a|an|the|your) (reminder|alarm|timer)\b)|` +
		`i('ve| have)?( now| just| already)? set (a|an|the|your|up a) (reminder|alarm|timer)\b|` +
		`(your |the |a )?(reminder|alarm|timer) (is |was |has been )?(now )?(set|scheduled)\b)`)
})

// Promises reports whether an answer promises a reminder or claims one.
func Promises(answer string) bool { return promised().MatchString(answer) }

const (
	// PromiseNudge is what the model reads after a promise without a job.
	PromiseNudge = "[runtime] Nothing was scheduled in this turn, so no reminder will come of it. Schedule it now, or say plainly that you can't; a job that is there already: name it."
	// PromiseNote is what the person reads when the model insists.
	PromiseNote = "\n\n(No reminder was set in this turn.)"
	// ClaimNudge is what the model reads after a claim without a call.
	ClaimNudge = "[runtime] No tool was called in this turn, so nothing was done. Call the tool now, or say plainly that it was not done."
	// ClaimNote is what the person reads when the model insists.
	ClaimNote = "\n\n(No action was taken: no tool ran in this turn.)"
	// EmptyNudge is what the model reads after an empty answer.
	EmptyNudge = "[runtime] Your answer was empty. Answer the last message in words, or call a tool."
	// HeldNudge tells a model in which form its next answer is held.
	HeldNudge = "\nThis time answer with one JSON object: {\"say\":\"…\"} speaks to the person, {\"tool\":\"NAME\",\"args\":{…}} calls a tool."
	// UnreadNudge is what the model reads after an answer that could not be read.
	UnreadNudge = "[runtime] Your last tool call could not be read, so nothing was run. Write it again as valid JSON (quotes and braces closed, line ends in texts as \\n), or answer in words."
)
