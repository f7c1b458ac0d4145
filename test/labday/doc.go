// Package labday plays a lab day on a real model server and measures, request for
// request, how many tokens the server evaluated against how many were new: what the
// prefix cache is worth. The figures come from the server's own log.
//
// It owns the day (day.go), the bench that it is played on (bench.go), the tap that
// counts at the model (tap.go), the habits of today's peers for comparison
// (habits.go), the page and the picture that come of it (page.go, plot.go).
//
// The agent is the real one: turns, sessions, prompt, tools, policy, commands in the
// background and wakes, sub-agent, slot seeding. What this version has no engine for
// is fed by the harness in that engine's place: the scheduler of cron turns and the
// heartbeat's timer. Commands run on a stand-in for the sandbox that ends when the
// day says so, and the clock is a simulated one.
//
// Invariants: system text and tool array of the agent's own session are compared
// byte for byte in every request, and a day in which they differ is an error; a
// token is a byte of prompt, since the model is the scripted one.
package labday
