// Package warm has the model server read prompts ahead of need, so that the next
// turn is answered from its cache.
//
// It owns what is done with the model while nobody talks, and what is known of the
// server's slots:
//
//	keeper.go   one request ahead of need: when it may begin, and what ends it
//	idle.go     the loop that looks what is due, and what to do after a failure
//	slots.go    one slot of the server each for the main prompt and a sub-agent's
//	trial.go    telling two slots from one by times alone
//	level.go    what another level of thinking costs the cache
//
// It refuses to know how prompts are made and what conversations say: both come in as
// a Conversation. It runs no tool and stores nothing.
//
// Invariants: nothing is read ahead while a turn runs, and a turn that begins ends at
// once what is; a failure here never fails a turn; two requests are sent at once only
// for a seeding, while the lane is held.
package warm
