package assembly

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decode turns a file's bytes into text: UTF-8 with or without a byte order mark
// and UTF-16 with one. Note names an encoding that an owner should know of; a
// problem says why the bytes are no text, in words that end in an action.
func decode(data []byte) (text, note, problem string) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return decodeUTF16(data[2:], binary.LittleEndian, "UTF-16LE")
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return decodeUTF16(data[2:], binary.BigEndian, "UTF-16BE")
	}
	if i := invalidUTF8(data); i >= 0 {
		return "", "", fmt.Sprintf("it is no UTF-8 text (byte %#02x in line %d); save it as UTF-8", data[i], lineOf(data, i))
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return "", "", fmt.Sprintf("it holds a zero byte in line %d, so it is binary or UTF-16 without a byte order mark; save it as UTF-8", lineOf(data, i))
	}
	return string(data), "", ""
}

// decodeUTF16 reads UTF-16 behind its byte order mark.
func decodeUTF16(data []byte, order binary.ByteOrder, name string) (text, note, problem string) {
	if len(data)%2 != 0 {
		return "", "", "it begins as " + name + " and has an odd number of bytes; save it as UTF-8"
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	text = string(utf16.Decode(units))
	if strings.ContainsRune(text, utf8.RuneError) || strings.ContainsRune(text, 0) {
		return "", "", "it begins as " + name + " and holds units that are no characters; save it as UTF-8"
	}
	return text, "read as " + name, ""
}

// invalidUTF8 is the place of the first byte that is no UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// lineOf is the 1-based line of the byte at i.
func lineOf(data []byte, i int) int { return bytes.Count(data[:i], []byte("\n")) + 1 }

// lineEnds turns CRLF and lone CR into LF.
func lineEnds(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// fold drops blanks at line ends and blank lines at both ends; three or more
// blank lines become two.
func fold(text string) string {
	folded, _ := foldLines(text)
	return folded
}

// foldLines is fold; it also gives, for each line of the result, the 1-based line
// of the text that it was.
func foldLines(text string) (string, []int) {
	var b strings.Builder
	b.Grow(len(text))
	var from []int
	blank, n := 0, 0
	for l := range strings.SplitSeq(text, "\n") {
		n++
		l = strings.TrimRight(l, " \t")
		if l == "" {
			blank++
			continue
		}
		if b.Len() > 0 {
			kept := min(blank, 2)
			b.WriteString("\n\n\n"[:1+kept])
			for i := range kept {
				from = append(from, n-kept+i)
			}
		}
		blank = 0
		b.WriteString(l)
		from = append(from, n)
	}
	return b.String(), from
}
