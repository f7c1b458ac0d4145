// Package gateway lets other processes of the same person talk to a running
// agent: HTTP over a unix socket, one JSON value in, one value or a stream of
// events out. The command line is its client in every case, also when the agent
// runs in the same process, so that there is one road and not two.
//
// It owns the socket, the wire form and the check of who is calling (peer.go: the
// peer's user id must be the agent's own or root's, and the agent must not have
// started it). It refuses to decide anything: no policy, no prompt, no model lives
// here.
//
//	verbs.go   what can be asked: one value a verb, for both ends
//	verb.go    the three kinds of them: one answer, a stream of events, a text
//	server.go  the server's end: a request is read, then taken, then done
//	client.go  the client's end: an agent that went away, before or after it took it
//	silent.go  an agent that takes no request: stopped, or stuck
//	listen.go  the socket, and the road within one process
//	peer.go    who is calling
//	queue.go   events for a reader that may be slow
//
// Invariants: a client that goes away ends its own turn and nothing else; a client
// that reads slowly never holds up the agent's record; nothing is done for a request
// before the client could learn that it was taken.
package gateway
