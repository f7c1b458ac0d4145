package wording

import (
	"fmt"
	"strings"
)

// Nearest is the word of the list that a mistyped one was probably meant to be,
// empty when none is near: at most two changes away, or a third of its length, and
// not wholly another. Case is no difference. The first of equals wins.
func Nearest(word string, list []string) string {
	best, at := "", max(2, len(word)/3)+1
	for _, w := range list {
		if d := distance(strings.ToLower(word), strings.ToLower(w)); d < min(at, len(w)) {
			best, at = w, d
		}
	}
	return best
}

// DidYouMean names the nearest word of a list, in brackets.
func DidYouMean(word string, list []string) string {
	if n := Nearest(word, list); n != "" {
		return fmt.Sprintf(" (did you mean %s?)", n)
	}
	return ""
}

// Meant asks whether another word of the list was meant, with what stands before it:
// ", did you mean --state?"; empty when none is near.
func Meant(word, before string, list []string) string {
	if n := Nearest(word, list); n != "" {
		return ", did you mean " + before + n + "?"
	}
	return ""
}

// distance is the number of characters to insert, remove, replace or swap with
// their neighbour that lead from a to b. Words of more than 64 bytes count as far
// away: nobody mistypes so long a name.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 1 << 20
	}
	x, y := []rune(a), []rune(b)
	before, prev, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(y)]
}
