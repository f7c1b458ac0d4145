// Command picture draws a terminal session, read as text from stdin, as an SVG on
// stdout: the picture in the README. Lines keep the colours that the program gives
// them at a terminal, found by how they begin.
//
//	./test/demo/run | sed -n '/^> /,/in all$/p' | go run ./test/picture > docs/session.svg
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Sizes in pixels: a line, a character at 13 px, the margin, the bar on top.
const (
	lineHeight = 18.0
	charWidth  = 7.83
	margin     = 16.0
	bar        = 30.0
	columns    = 104
)

func main() {
	if err := draw(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// draw reads lines and writes the picture.
func draw(r io.Reader, w io.Writer) error {
	var lines []string
	s := bufio.NewScanner(r)
	for s.Scan() {
		lines = append(lines, wrap(s.Text(), columns)...)
	}
	if err := s.Err(); err != nil {
		return err
	}
	width, height := 2*margin+columns*charWidth, bar+2*margin+lineHeight*float64(len(lines))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="13">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" rx="8" fill="#14181d"/><rect width="%.0f" height="%.0f" rx="8" fill="#20262d"/>`+"\n", width, height, width, bar)
	for i, c := range []string{"#e5534b", "#daaa3f", "#57ab5a"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="15" r="5" fill="%s"/>`, 18+18*i, c)
	}
	fmt.Fprintf(&b, "\n"+`<text x="%.0f" y="19" fill="#9aa5b1" text-anchor="middle">agent chat --board=sim</text>`+"\n", width/2)
	for i, l := range lines {
		fill, weight := style(l)
		fmt.Fprintf(&b, `<text x="%.0f" y="%.1f" fill="%s" font-weight="%s" xml:space="preserve">%s</text>`+"\n",
			margin, bar+margin+lineHeight*(float64(i)+0.7), fill, weight, html.EscapeString(l))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// style is a line's colour and weight.
func style(l string) (fill, weight string) {
	switch {
	case strings.HasPrefix(l, "> "):
		return "#ffffff", "600"
	case strings.Contains(l, "refused by "):
		return "#f47067", "400"
	case strings.HasPrefix(l, "▌   allow"):
		return "#6bc46d", "400"
	case strings.HasPrefix(l, "▌   │"):
		return "#768390", "400"
	case strings.HasPrefix(l, "▌"):
		return "#6cb6ff", "400"
	}
	return "#cdd9e5", "400"
}

// wrap breaks a line at a width in characters, at a blank where there is one.
func wrap(l string, width int) []string {
	var out []string
	for utf8.RuneCountInString(l) > width {
		runes := []rune(l)
		at := width
		for i := width; i > width/2; i-- {
			if runes[i] == ' ' {
				at = i
				break
			}
		}
		out = append(out, string(runes[:at]))
		l = strings.TrimLeft(string(runes[at:]), " ")
	}
	return append(out, l)
}
