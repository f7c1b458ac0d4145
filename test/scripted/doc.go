// Package scripted makes a language model whose every answer is known
// beforehand, so that a test can drive the whole road (prompt, real server,
// tool call, policy, result, answer) with exact expectations and no download.
//
// The model is a real GGUF file that a real server loads, caches and times like
// any other. Inside it is a table: one layer whose attention and feed-forward
// weights are zero, one-hot embeddings, and an output matrix that maps each
// token to its successor. Its vocabulary holds the 256 bytes, the chat marks,
// one mark for each line of the script and the pieces of those lines. The chat
// template compares the newest message with the script and ends the prompt with
// the mark that fits; from there the table leads through the line's pieces to
// the end mark.
//
// The package owns the script (Lab), the chain table, the template and the
// file's bytes. It talks to no server: package ollama does. It refuses a script
// that can't be told apart (two lines that need different successors for the
// same piece) instead of building a model that says something else.
//
// Invariants: a prompt token is a byte, so token counts are byte counts; the
// same script gives the same file, byte for byte; what is not in the script is
// answered with the script's last scene, never with noise.
package scripted
