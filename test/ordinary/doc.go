// Package ordinary runs ordinary lab work for real: every row of
// testdata/commands.tsv passes through the built program, the shipped lab policy and
// the real sandbox, and its effect is looked at from outside. It holds tests only.
//
//	testdata/commands.tsv  the rows: verdict, command, what is shown, effect
//	testdata/lab           the workspace that each row begins with
//	testdata/programs.tsv  which Debian package brings a program
//
// What is asked is answered yes, and runs; where the question offers "always", that is
// answered as well, and then nothing is asked any more.
//
// A row whose program is not installed is left out with that reason and counted; with
// CI set, which installs them, it fails instead. What is refused is tried in any case.
//
// It takes about a minute and a half on two processors, so it belongs to the slow tests
// of the Makefile.
package ordinary
