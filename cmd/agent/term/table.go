package term

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// List prints a table whose first row is its head to out, and says on errs when it
// has no other.
func List(out, errs io.Writer, rows [][]string, none string) { listRows(out, errs, rows, none, false) }

// Actions is List for rows that end with an action, which a person decides on: it is
// never cut.
func Actions(out, errs io.Writer, rows [][]string, none string) {
	listRows(out, errs, rows, none, true)
}

func listRows(out, errs io.Writer, rows [][]string, none string, whole bool) {
	columns(out, rows, whole)
	if len(rows) == 1 {
		fmt.Fprintf(errs, "%s %s\n", Mark, none)
	}
}

// Table writes rows in columns, without blanks at the ends of lines. The first row
// is the heading, if there is one; a column of numbers stands to the right.
func Table(w io.Writer, rows [][]string) { columns(w, rows, false) }

// columns is table; with whole, the last cell of a row is not cut.
func columns(w io.Writer, rows [][]string, whole bool) {
	var width []int
	var number []bool // a number in it, and below the heading nothing else
	for n, row := range rows {
		for i, cell := range row {
			if row[i] = OneLine(cell, 200); whole && i == len(row)-1 {
				row[i] = wholeLine(cell)
			}
			if i == len(width) {
				width, number = append(width, 0), append(number, true)
			}
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
			number[i] = number[i] && (n == 0 || row[i] == "" || isNumber(row[i]))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			gap := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if number[i] {
				cell, gap = gap+cell, ""
			}
			line.WriteString(cell + gap + "  ")
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// isNumber reports whether a cell holds a number and at most its unit, or says that
// the number is not known.
func isNumber(cell string) bool {
	number, unit, _ := strings.Cut(cell, " ")
	_, err := strconv.ParseFloat(number, 64)
	return err == nil && len(unit) <= 3 || cell == "unknown"
}
