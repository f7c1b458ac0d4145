// Package service plays the life of the installed agent under systemd: installed by
// the documented steps, talked to by a member of its group, stopped, killed, set up
// wrongly, updated, removed. It holds tests only; they change the machine that they
// run on, so they run where HARDSHELL_THROWAWAY says that it is one to throw away,
// which the ARM64 rig sets.
package service
