package config

// retired maps keys that an earlier version accepted to what takes their place.
// A config that still has one is in force, with one warning: an update must not
// stop a board from starting.
var retired = map[string]string{
	"listen_host": `write gateway.listen = "127.0.0.1:PORT"`,
	"listen_port": `write gateway.listen = "127.0.0.1:PORT"`,
	"ollama_host": "write model.host",
	"ollama_url":  "write model.host",
}
