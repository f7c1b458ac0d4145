package policy

// nearest is the word of the list that a mistyped one was probably meant to be,
// empty when none is near. The first of equals wins.
func nearest(word string, list []string) string {
	best, at := "", max(2, len(word)/3)+1
	for _, w := range list {
		if d := distance(word, w); d < at {
			best, at = w, d
		}
	}
	return best
}

// distance is the number of bytes to insert, remove or replace that lead from a
// to b. Words of more than 64 bytes count as far away: no key is that long.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 1 << 20
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
