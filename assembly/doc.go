// Package assembly renders the whole prompt: system text, tool array and the
// context of a turn. It owns every word that we say to a model, which section
// stands under which condition, and how much of the workspace files goes in.
//
// It refuses to look at the world. Render is a pure function of Input: no clock,
// no file, no environment, no iteration over a map. The same Input gives the
// same bytes, in every process.
//
// Invariants:
//
//   - System and Tools do not depend on Input.Turn. Every run kind of an agent
//     shares one prefix, which a server's cache can keep.
//   - An absent section leaves no trace, not even a blank line.
//   - The texts of the Report's stable system parts, in order, are System: the
//     sizes in Used add up, so that any byte can be traced to its part.
//   - Nothing is cut in silence: the model reads a mark, the Report carries the
//     limit's name and value.
//   - Text from files, commands and sub-agents stands in a fence that it cannot
//     close; see Harmless.
//
// The wording lives in fragments/*.md and overlays/*.md. A fragment is prose
// with two marks: {name} is replaced by a value, and a line that begins with
// [a !b] stands only where flag a is on and flag b is off. Flags are the names
// of the offered tools and a few knobs.
package assembly
