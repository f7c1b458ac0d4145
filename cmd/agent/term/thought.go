package term

import "strings"

// thoughtWidth is where a line of thinking is broken, in characters.
const thoughtWidth = 100

// think shows what a model thinks, line by line as far as it is whole: on stderr
// and behind a mark of its own, so that it can't be taken for the answer.
func (v *Voice) think(text string) {
	v.mind += text
	for {
		line, rest, whole := strings.Cut(v.mind, "\n")
		if !whole {
			if line, rest = fold(v.mind); rest == "" {
				return
			}
		}
		v.mind = rest
		v.thoughtLine(line)
	}
}

// endThought shows the last line.
func (v *Voice) endThought() {
	line := v.mind
	v.mind = ""
	v.thoughtLine(line)
}

// thoughtLine shows one line, broken where it is long; a blank one is left out.
func (v *Voice) thoughtLine(line string) {
	for line != "" {
		head, rest := fold(line)
		if text := strings.TrimSpace(Foreign(head)); text != "" {
			v.Say(Dim, "  ~ %s", text)
		}
		line = rest
	}
}

// fold takes a line's worth of text at a blank, or in the middle of a word that is
// longer than that. rest is empty when all of it fits.
func fold(text string) (line, rest string) {
	r := []rune(text)
	if len(r) <= thoughtWidth {
		return text, ""
	}
	at := thoughtWidth
	for at > 0 && r[at] != ' ' {
		at--
	}
	if at == 0 {
		at = thoughtWidth
	}
	return string(r[:at]), string(r[at:])
}
