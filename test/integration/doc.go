// Package integration drives the whole program against a real model server: the
// parts that no fake can prove. It holds tests only.
//
// The server is one of its own, brought by test/ollama/setup, started once for
// the package and ended with it. Its models are the scripted one, whose answers
// are known word for word, and SmolLM2-135M, whose tokenizer counts the prompt.
// Where no server can be had the tests skip with that reason; with CI or
// HARDSHELL_REQUIRE_OLLAMA set they fail instead.
package integration
