// Package gateway lets other processes of the same person talk to a running
// agent: HTTP over a unix socket, one JSON object in, one object or a stream of
// events out. The command line is its client in every case, also when the agent
// runs in the same process, so that there is one road and not two.
//
// It owns the socket, the wire form and the check of who is calling (peer.go: the
// peer's user id must be the agent's own or root's, and the agent must not have
// started it). It refuses to decide anything: no policy, no prompt, no model lives
// here.
//
//	wire.go    what is served: the agent as the gateway needs it, requests, paths
//	server.go  the server; past.go, jobs.go more of it
//	listen.go  the socket, and the road within one process
//	peer.go    who is calling
//	queue.go   events for a reader that may be slow
//	client.go  the client; recall.go what it asks of the past
//
// Invariant: a client that goes away ends its own turn and nothing else; a client
// that reads slowly never holds up the agent's record.
package gateway
