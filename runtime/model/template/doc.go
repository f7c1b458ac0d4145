// Package template finds out whether a model's chat template lets a server keep
// its prompt cache from turn to turn, and makes a derived model whose template
// does.
//
// A server reuses the longest common beginning of what it holds and what it gets.
// What it gets is rendered by the model's own template, so a template that moves
// the tools into the newest user message, or leaves out something of an older
// one, makes the server read the history again at each turn however still the
// runtime keeps.
//
// It owns the probe conversation, the comparison and the safe templates in
// safe/*.tmpl. It refuses to change a model: Fix makes another one beside it, and
// proves that the other one is safe before it calls it fixed.
package template
