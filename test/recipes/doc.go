// Package recipes follows what docs/develop.md says of adding something: a tool, a
// board, a skill, each put in with one line. Where the place to add something is a
// package's own, the recipe stands there: policy/recipe_test.go (an action kind),
// policy/argv/recipe_test.go (a slot), assembly/recipe_test.go (an overlay),
// cmd/agent/recipe_test.go (a command).
package recipes
