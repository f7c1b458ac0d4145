// Package rig runs the project's own ARM64 binaries on a real ARM64 Linux kernel:
// Debian's, in qemu-system-aarch64, without KVM. make rig.
//
// It owns the virtual machines: what they are made of (setup, a script), the two
// disks, the console and what is run: the test binaries of the packages that touch
// the kernel and the story of the shipped program, as root and as an ordinary user,
// with Landlock and without, and as on the board, whose Linux 5.15 has neither
// Landlock nor any system call above number 448; and the life of the installed
// service, under systemd.
//
// It refuses to touch the machine that it runs on: kernel and system are unpacked,
// not installed, and nothing of a foreign architecture is run outside the virtual
// machine. Only the emulator is installed, by root, where it is missing.
//
// Invariants: each test of the virtual machine is a subtest here, with its output
// and its reason to be skipped; a machine that stops before its plan's end fails;
// emulated time is never asserted.
package rig
