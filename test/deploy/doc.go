// Package deploy tests what is put on a board: the install script, run for real
// below a folder of its own, and the unit and its companions, held against each
// other. It holds tests only.
package deploy
