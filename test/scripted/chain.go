package scripted

import (
	"fmt"
	"slices"
	"strings"
)

// The marks of the chat template that are tokens of their own.
const (
	endOfText = "<|endoftext|>"
	imStart   = "<|im_start|>"
	imEnd     = "<|im_end|>"
	callOpen  = "<tool_call>"
	callClose = "</tool_call>"
)

// Chain is the table behind the model: for each token the one that follows.
// Tokens are named by their text.
type Chain struct {
	// Controls are the chat marks, Go marks included; Words the pieces of the
	// script's lines. Both in the order in which they become tokens.
	Controls, Words []string
	// Next gives the successor of a Go mark or a piece.
	Next map[string]string
}

// mark names the place from which line j of step i of scene s is spoken.
func mark(s, i, j int) string { return fmt.Sprintf("<|go:%d.%d.%d|>", s, i, j) }

// NewChain lays the script out as one table of successors.
//
// A piece can have only one successor, whatever line it is in. So a line is cut
// into words from its end; a word that already leads elsewhere is joined with
// the piece after it, until the joined piece is new or leads the same way.
func NewChain(script []Scene) (*Chain, error) {
	if err := Check(script); err != nil {
		return nil, err
	}
	c := &Chain{Controls: []string{endOfText, imStart, imEnd}, Next: map[string]string{}}
	for s, scene := range script {
		for i, step := range scene.Steps {
			for j, line := range step {
				first, err := c.add(line)
				if err != nil {
					return nil, fmt.Errorf("scene %q, step %d, line %d: %w", scene.Ask, i, j, err)
				}
				m := mark(s, i, j)
				c.Controls = append(c.Controls, m)
				c.Next[m] = first
			}
		}
	}
	return c, nil
}

// add lays out one line and returns its first piece.
func (c *Chain) add(l Line) (first string, err error) {
	words := split(l.bytes())
	if l.Endless {
		return c.circle(words)
	}
	pieces, err := c.pieces(words)
	if err != nil {
		return "", err
	}
	next := imEnd
	for _, p := range slices.Backward(pieces) {
		c.link(p, next)
		next = p
	}
	return next, nil
}

// pieces joins words until each piece can have the successor it needs.
func (c *Chain) pieces(words []string) ([]string, error) {
	var rest []string // from the end of the line, in the line's order
	for _, w := range slices.Backward(words) {
		piece := w
		for {
			next := imEnd
			if len(rest) > 0 {
				next = rest[0]
			}
			taken, known := c.Next[piece]
			inside := slices.Contains(rest, piece)
			// A single byte is a token already, and the format has no two alike.
			if (!known || taken == next) && !inside && len(piece) > 1 {
				break
			}
			if len(rest) == 0 {
				if len(piece) == 1 {
					return nil, fmt.Errorf("the line is the single byte %q: word it longer", piece)
				}
				return nil, fmt.Errorf("%q leads to %q in another line and ends this one: word one of them differently", piece, taken)
			}
			piece, rest = piece+rest[0], rest[1:]
		}
		rest = append([]string{piece}, rest...)
	}
	return rest, nil
}

// circle lays out a line whose end leads to its beginning.
func (c *Chain) circle(words []string) (string, error) {
	if len(words) < 2 {
		return "", fmt.Errorf("an endless line needs two words or more: the runner stops a token that repeats itself")
	}
	for i, w := range words {
		w = " " + strings.TrimSpace(w)
		words[i] = w
		if _, known := c.Next[w]; known {
			return "", fmt.Errorf("%q is used by another line: word the endless one differently", w)
		}
	}
	for i, w := range words {
		c.link(w, words[(i+1)%len(words)])
	}
	return words[0], nil
}

// link notes that next follows piece.
func (c *Chain) link(piece, next string) {
	if _, known := c.Next[piece]; !known {
		c.Words = append(c.Words, piece)
	}
	c.Next[piece] = next
}

// Say follows the table from a mark, at most limit pieces, as the model does.
func (c *Chain) Say(mark string, limit int) []string {
	var said []string
	for at := c.Next[mark]; at != imEnd && len(said) < limit; at = c.Next[at] {
		said = append(said, at)
	}
	return said
}

// split cuts a text before each space, so that the parts joined give the text.
func split(text string) []string {
	var words []string
	start := 0
	for i := 1; i < len(text); i++ {
		if text[i] == ' ' && text[i-1] != ' ' {
			words = append(words, text[start:i])
			start = i
		}
	}
	return append(words, text[start:])
}
