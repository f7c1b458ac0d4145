package measure

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Page is where the tables stand, from the tree's root.
const Page = "docs/develop.md"

// A row of a table on the page: what, before, now, and what may follow.
func cells(line string) []string {
	if !strings.HasPrefix(line, "| ") {
		return nil
	}
	c := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	for i := range c {
		c[i] = strings.TrimSpace(c[i])
	}
	if len(c) < 3 {
		return nil
	}
	return c
}

// Write puts measures into the third cell of their rows on a page.
func Write(page string, rows []Row) (string, error) {
	lines := strings.Split(page, "\n")
	for _, r := range rows {
		found := false
		for i, line := range lines {
			if c := cells(line); c != nil && c[0] == r.What {
				c[2], found = r.Now, true
				lines[i] = "| " + strings.Join(c, " | ") + " |"
			}
		}
		if !found {
			return "", fmt.Errorf("%s has no row %q", Page, r.What)
		}
	}
	return strings.Join(lines, "\n"), nil
}

// number is a figure of a row.
var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// Stale gives the rows of a page whose figures are further from the measures than
// a fifth, and than ten: the page is no diary, and the budgets are held by rules.
func Stale(page string, rows []Row) []string {
	now := map[string]string{}
	for line := range strings.Lines(page) {
		if c := cells(line); c != nil {
			now[c[0]] = c[2]
		}
	}
	var out []string
	for _, r := range rows {
		if !near(now[r.What], r.Now) {
			out = append(out, fmt.Sprintf("%s: the page says %q, measured is %q", r.What, now[r.What], r.Now))
		}
	}
	return out
}

// near reports whether two texts have the same figures, as near as Stale says.
func near(a, b string) bool {
	x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
	if len(x) != len(y) || len(x) == 0 {
		return false
	}
	for i := range x {
		p, err1 := strconv.ParseFloat(x[i], 64)
		q, err2 := strconv.ParseFloat(y[i], 64)
		if d := max(p-q, q-p); err1 != nil || err2 != nil || d > max(10, q/5) {
			return false
		}
	}
	return true
}
