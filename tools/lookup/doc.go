// Package lookup finds out what policy has to know of the world: files, programs, name
// patterns, repositories, sockets.
//
//	follow.go   where a path leads, as the kernel would follow it
//	program.go  which file a program's name stands for, and who can change it
//	glob.go     the paths that a name pattern stands for
//	repo.go     settings of repositories that make git run a program
//	repos.go    what is a repository, and whether it changed
//	sockets.go  sockets that somebody listens on
//	survey.go   a look through the workspace before a command
//
// It looks and changes nothing. It refuses to judge what it finds: what can't be looked
// up is left out, and policy denies.
package lookup
