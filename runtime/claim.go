package runtime

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

// claimsAct reports whether an answer claims that something was done.
func claimsAct(answer string) bool { return claimed().MatchString(answer) }

const (
	// claimNudge is what the model reads after a claim without a call.
	claimNudge = "[runtime] No tool was called in this turn, so nothing was done. Call the tool now, or say plainly that it was not done."
	// claimNote is what the person reads when the model insists.
	claimNote = "\n\n(No action was taken: no tool ran in this turn.)"
	// emptyNudge is what the model reads after an empty answer.
	emptyNudge = "[runtime] Your answer was empty. Answer the last message in words, or call a tool."
)
