// Package sandbox is the same binary in another role: it runs one command,
// confined. It is told what to run by whoever asked policy; it judges nothing and
// knows neither tools nor turns.
//
// It owns the life of the command's process tree and everything that stands between
// the command and the machine: a fixed environment, no terminal, namespaces with an
// allow-listed root, resource limits, no capabilities, no new privileges, a filter
// of system calls, Landlock where the kernel has it.
//
//	spec.go       what to run, how it ended, the layers by name
//	launcher.go   one command after the other, and what is done without a layer
//	probe.go      what this kernel can do, found by doing it
//	cause.go      what keeps namespaces from the agent, and what mends it
//	layers.go     each layer: what it means, what to do where it is missing
//	box.go        a sandbox that stands and waits for its job
//	spare.go      one box kept ready, for one command
//	start.go      one command in its box: time limit, output, how it ended
//	groups.go     the part of the cgroup v2 tree that is the agent's to divide
//	group.go      the group of one command and its limits
//	main.go       the hidden roles of the binary: outer and inner process
//	running.go    a command while it runs, for whoever feeds and signals it
//	holder.go     the process that holds a command, known again after a restart
//	job.go        what the launcher tells them
//	inner.go      building the sandbox around itself and starting the command
//	root.go       the file system that a command sees
//	cover.go      what of it is covered, and what keeps its name
//	privilege.go  limits, capabilities, no_new_privs
//	landlock.go   the second fence around files
//	starts.go     a program start of the tree, read from the process that asks
//	supervisor.go answering each of them by the judge's word
//	crowd.go      the number of processes, where neither cgroup nor kernel bounds it
//	reap.go       the end of the tree
//
// Package seccomp below it is the filter of system calls.
//
// It refuses to run a command while a mandatory layer is missing, unless the
// operator chose otherwise, and then says in each result which one. It never opens
// a shell of its own.
//
// The judge of program starts is audit and intent, not the fence: it reads the words
// of a process that may change them before the kernel reads them again. What holds a
// program that should not have started is everything else here.
//
// Commands of an agent that runs as root stay root, without capabilities and without
// a way to new ones. A user of their own would need the workspace's owners translated
// (id-mapped mounts), which overlays and, before Linux 6.3, tmpfs can't; and devices
// and files that a rule grants to root would be out of reach. The layers say so: there
// is no "user" among them. An agent that runs as an ordinary user, as its unit does,
// has commands of that user in a user namespace.
//
// Invariants: nothing of the agent's environment, descriptors or terminal reaches a
// command; when a run is over, no process of its tree is left; Exit names each
// layer that was applied.
package sandbox
