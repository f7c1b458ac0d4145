package assembly

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

func utf16File(order binary.AppendByteOrder, text string) []byte {
	out := order.AppendUint16(nil, 0xFEFF)
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

func TestEncodings(t *testing.T) {
	body := func(s string) string { return "<file>\n" + s + "\n</file>" }
	for _, c := range []struct {
		name, want, note string
		data             []byte
	}{
		{"plain", body("a\nä"), "", []byte("a\nä\n")},
		{"BOM", body("a"), "", []byte("\ufeffa")},
		{"inner U+FEFF stays", body("a\ufeffb"), "", []byte("\ufeffa\ufeffb")},
		{"CRLF", body("a\n\nb"), "", []byte("a\r\n\r\nb\r\n")},
		{"CR", body("a\nb"), "", []byte("a\rb\r")},
		{"UTF-16LE", body("a\nΩ😀"), "read as UTF-16LE", utf16File(binary.LittleEndian, "a\r\nΩ😀\r\n")},
		{"UTF-16BE", body("aΩ"), "read as UTF-16BE", utf16File(binary.BigEndian, "aΩ")},
		{"odd UTF-16", "[UNREADABLE] X.md: it begins as UTF-16LE and has an odd number of bytes; save it as UTF-8", "not in the prompt: it begins as UTF-16LE and has an odd number of bytes; save it as UTF-8", []byte("\xff\xfea")},
		{"broken UTF-16", "[UNREADABLE] X.md: it begins as UTF-16BE and holds units that are no characters; save it as UTF-8", "not in the prompt: it begins as UTF-16BE and holds units that are no characters; save it as UTF-8", []byte("\xfe\xff\xd8\x00")},
		{"UTF-16 without a mark", "[UNREADABLE] X.md: it holds a zero byte in line 1, so it is binary or UTF-16 without a byte order mark; save it as UTF-8", "not in the prompt: it holds a zero byte in line 1, so it is binary or UTF-16 without a byte order mark; save it as UTF-8", []byte("a\x00b\x00")},
		{"blanks fold", body("a\n\n\nb\n\n\nc"), "", []byte("\n\n a\n\n\nb\n \n\t\n\n\nc  \n\n")},
		{"control characters", body("a[2Jb"), "control marks of chat templates or hidden characters in it were made harmless", []byte("a\x1b[2Jb")},
	} {
		if c.name == "blanks fold" {
			c.data = []byte("\n\na\n\n\nb\n \n\t\n\n\nc  \n\n")
		}
		p := render(t, within(Budget{}, File{Name: "X.md", Data: c.data}))
		if !strings.Contains(p.System, c.want) {
			t.Errorf("%s: want %q in\n%s", c.name, c.want, p.System)
		}
		if got := partOf(t, p, "file", "X.md").Note; got != c.note {
			t.Errorf("%s: note %q, want %q", c.name, got, c.note)
		}
	}
}

func TestCase052_UTF16IsReadOrReported(t *testing.T) {
	good := utf16File(binary.LittleEndian, "Be brief.")
	p := render(t, within(Budget{}, File{Name: "AGENTS.md", Data: good}))
	if part := partOf(t, p, "file", "AGENTS.md"); !strings.Contains(p.System, "Be brief.") || part.Note != "read as UTF-16LE" {
		t.Errorf("not read: %+v", part)
	}
	p = render(t, within(Budget{}, File{Name: "AGENTS.md", Data: good[:len(good)-1]}))
	if part := partOf(t, p, "file", "AGENTS.md"); !part.Cut || !strings.Contains(part.Note, "UTF-16LE") {
		t.Errorf("not reported: %+v", part)
	}
}

func TestMarkNamesTheFilesOwnLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.SampledFrom([]rune{'a', '\n', '\n', ' '}), 0, 60).Draw(t, "text"))
		folded, from := foldLines(text)
		if folded == "" {
			return
		}
		lines, own := strings.Split(folded, "\n"), strings.Split(text, "\n")
		if len(lines) != len(from) {
			t.Fatalf("%d places for %d lines", len(from), len(lines))
		}
		last := 0
		for i, l := range lines {
			if from[i] <= last || strings.TrimRight(own[from[i]-1], " ") != l {
				t.Fatalf("line %d, %q, is said to be line %d of %q", i+1, l, from[i], text)
			}
			last = from[i]
		}
	})
	in := within(Budget{File: 2000}, File{Name: "AGENTS.md", Data: []byte("\ufeff" + strings.Repeat("\r\n", 100) + strings.Repeat("- rule of ten\r\n", 200))})
	if s, want := render(t, in).System, "`read` AGENTS.md from line 201.]"; !strings.Contains(s, want) {
		t.Errorf("want %q in\n%s", want, s)
	}
}
