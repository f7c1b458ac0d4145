package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hardshell/tools"
)

// printJSON writes one value as one line. Characters that a terminal acts on are
// written as escapes, which says the same to every reader of JSON.
func printJSON(w io.Writer, v any) {
	b, err := json.Marshal(v)
	if err != nil { // plain values always marshal
		panic("agent: internal error: " + err.Error())
	}
	fmt.Fprintf(w, "%s\n", harmlessJSON(b))
}

// harmlessJSON escapes what encoding/json leaves as it is and a terminal acts
// on: C1 controls and marks of writing direction.
func harmlessJSON(b []byte) []byte {
	var out strings.Builder
	for _, r := range string(b) {
		if r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Cf, r) && r <= 0xffff {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return []byte(out.String())
}

// plainJSON is JSON with <, > and & as themselves where encoding/json wrote escapes,
// so that a person reads the command that a call holds.
func plainJSON(raw []byte) string {
	letters := map[string]string{`\u003c`: "<", `\u003e`: ">", `\u0026`: "&"}
	var out strings.Builder
	for s := string(raw); s != ""; {
		n := 1
		if s[0] == '\\' && len(s) > 1 {
			n = 2 // an escaped backslash begins nothing
			if len(s) >= 6 && letters[s[:6]] != "" {
				out.WriteString(letters[s[:6]])
				s = s[6:]
				continue
			}
		}
		out.WriteString(s[:n])
		s = s[n:]
	}
	return out.String()
}

// counted is a number of things of one kind: "1 record", "2 records".
func counted[N int | uint64](n N, kind string) string {
	if n == 1 {
		return "1 " + kind
	}
	return fmt.Sprintf("%d %ss", n, kind)
}

// mark begins each line that the program itself says during a turn. It can't
// occur in the text of others: see foreign.
const mark = "▌"

// foreign makes text of a model, a file or a command fit for a terminal: nothing
// in it moves the cursor, changes colours or looks like a line of the program's
// own.
func foreign(s string) string { return strings.ReplaceAll(tools.Clean(s), mark, "|") }

// cleanBlock is foreign for text that ends in a line of ours.
func cleanBlock(s string) string { return strings.TrimRight(foreign(s), "\n") }

// oneLine is foreign text on one line, cut after n characters.
func oneLine(s string, n int) string {
	return cut(strings.Join(strings.Fields(foreign(s)), " "), n)
}

// wholeLine is foreign text on one line, with every blank and to its end: what a
// person decides on.
func wholeLine(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(foreign(s))
}

// actionOf is an action as a person reads it in a list, with the agent that wants
// it unless that is main.
func actionOf(agent, subject string) string {
	if agent == "" {
		return subject
	}
	return "agent " + agent + ": " + subject
}

// list prints a table whose first row is its head, and says on stderr when it has no
// other.
func (c *call) list(rows [][]string, none string) { c.rows(rows, none, false) }

// actions is list for rows that end with an action, which a person decides on: it is
// never cut.
func (c *call) actions(rows [][]string, none string) { c.rows(rows, none, true) }

func (c *call) rows(rows [][]string, none string, whole bool) {
	columns(c.stdout, rows, whole)
	if len(rows) == 1 {
		fmt.Fprintf(c.stderr, "%s %s\n", mark, none)
	}
}

// table writes rows in columns, without blanks at the ends of lines. The first row
// is the heading, if there is one; a column of numbers stands to the right.
func table(w io.Writer, rows [][]string) { columns(w, rows, false) }

// columns is table; with whole, the last cell of a row is not cut.
func columns(w io.Writer, rows [][]string, whole bool) {
	var width []int
	var number []bool // a number in it, and below the heading nothing else
	for n, row := range rows {
		for i, cell := range row {
			if row[i] = oneLine(cell, 200); whole && i == len(row)-1 {
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
