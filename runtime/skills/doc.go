// Package skills finds the skills that an agent may use: folders with a SKILL.md
// whose front matter says what it is good for and what it needs. It owns
// discovery, front matter, gates and precedence.
//
// It refuses to render (assembly does), to load a skill's text into a prompt on
// its own (the read tool or a person does) and to guess: front matter that can't
// be read switches the skill off, with file and line, since the limits that it
// may have held are not known.
//
// Invariants: the same folders give the same list in the same order; a skill
// that is off says why; of several skills of one name the root of the highest
// precedence wins and the others say by whom they are hidden.
package skills
