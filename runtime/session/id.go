package session

import (
	"strings"

	"hardshell/runtime/event"
)

// A session's id names its agent: "work" is one of the agent main, "night/work"
// one of the agent night. No name of a session or an agent holds a slash, so that
// two agents never share a session.

// Main is what an agent calls its own conversation.
const Main = "main"

// SubPrefix begins the name of a sub-agent's session.
const SubPrefix = "sub:"

// Of is the id of a session: of one that an agent calls by name, or of its
// main one where name is empty. An empty agent is main.
func Of(agent, name string) string {
	if name == "" {
		name = Main
	}
	if agent == "" || agent == event.MainAgent {
		return name
	}
	return agent + "/" + name
}

// Owner is the agent of a session and what that agent calls it. An empty id is the
// main session of the agent main.
func Owner(id string) (agent, name string) {
	agent, name, ok := strings.Cut(id, "/")
	if !ok {
		agent, name = event.MainAgent, id
	}
	if name == "" {
		name = Main
	}
	return agent, name
}

// IsSub reports whether a session is a sub-agent's.
func IsSub(id string) bool {
	_, name := Owner(id)
	return strings.HasPrefix(name, SubPrefix)
}

// ValidID reports whether id can name a session; empty stands for main.
func ValidID(id string) bool {
	agent, name, other := strings.Cut(id, "/")
	if !other {
		return plainName(id)
	}
	return agent != "" && name != "" && strings.Trim(agent, ".") != "" && plainName(agent) && plainName(name)
}

// plainName reports whether s is short and holds nothing that could lead elsewhere.
func plainName(s string) bool {
	if len(s) > 64 {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-:", r)
	}) < 0
}
