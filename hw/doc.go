// Package hw is what the agent knows of the board it runs on: an interface, the
// readings that it gives, and how one is found.
//
// It owns the vocabulary. Drivers stand in packages of their own: jetson reads a
// Jetson Orin Nano, sim plays one, and hwtest holds both to the same conduct.
// Values carry their unit as periph's physic types.
//
// It refuses numbers as names: zones, rails and counters go by what the board
// calls them, since numbers differ between releases. It judges nothing and starts
// nothing.
//
// Invariants:
//   - What is not known is said to be unknown, with the reason in Off; it is never
//     zero.
//   - A reading that the board marks as no reading (a sentinel) counts as not
//     known.
//   - A board is never simulated unless somebody asked for it by name.
package hw
