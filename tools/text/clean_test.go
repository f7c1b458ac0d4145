package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hardshell/policy/wording"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a b\n\tc", "a b\n\tc"},
		{"umlauts and signs", "Temperatur 45 °C — ok ✓ 日本", "Temperatur 45 °C — ok ✓ 日本"},
		{"colour", "\x1b[31mRED\x1b[0m", "RED"},
		{"cursor", "a\x1b[2J\x1b[1;1Hb\x1b[?25lc", "abc"},
		{"title", "\x1b]0;evil\x07after", "after"},
		{"title, string terminator", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"unclosed title ends with its line", "\x1b]0;evil\nnext", "\nnext"},
		{"device control", "\x1bPq#0;2;0\n0;0\x1b\\x", "x"},
		{"privacy message", "\x1b^secret\x1b\\x\x1b_a\x1b\\y\x1bXs\x1b\\z", "xyz"},
		{"charset", "\x1b(0lqk\x1b(B", "lqk"},
		{"reset", "a\x1bcb", "ab"},
		{"sequence in a sequence", "\x1b[3\x1b[31mx", "x"},
		{"unclosed sequence before a newline", "\x1b[31\nx", "\nx"},
		{"C1 forms", "\u009b31mx\u009d0;t\u009cy\u0090q\u009cz", "xyz"},
		{"C1 alone", "a\u0085b\u008cc\u0080d", "abcd"},
		{"DEL alone", "a\x7fb", "ab"},
		{"C1 in a sequence", "\x1b[3\u009b31mx\x1b(\u009b31my", "xy"},
		{"sequences that end in the first and the last letter", "\x1b[@a\x1b[~b\x1b[1?c", "ab"},
		{"a control character ends a sequence", "\x1b[3\x1fx", "x"},
		{"a blank does not", "\x1b[3 qx", "x"},
		{"C0 and DEL", "a\x00b\x07c\x08d\x0be\x0cf\x7fg", "abcdefg"},
		{"carriage return can't write over", "evil\rsafe", "evil\nsafe"},
		{"CRLF", "a\r\nb\r\n", "a\nb\n"},
		{"CR at the end", "a\r", "a\n"},
		{"direction", "a\u202eb\u2066c\u2069d\u061ce", "abcde"},
		{"no width", "a\u200bb\u200dc\ufeffd\u2060e\u00adf", "abcdef"},
		{"tags", "a\U000e0041\U000e0042b\U000e0100c", "abc"},
		{"each end of what has no width", "a\u115f\u1160\u17b4\u17b5\u200b\u200f\u2028\u202e\u2060\u206f\ufff9\ufffb\U000e0000\U000e0fffb", "ab"},
		{"its neighbours", "\u115e\u1161\u17b3\u17b6\u200a\u2010\u2027\u202f\u205f\u2070\ufffc\U000dffff\u00ac\u00ae", "\u115e\u1161\u17b3\u17b6\u200a\u2010\u2027\u202f\u205f\u2070\ufffc\U000dffff\u00ac\u00ae"},
		{"single ones", "a\u034f\u180e\u3164\uffa0b", "ab"},
		{"line separators", "a\u2028b\u2029c", "abc"},
		{"no UTF-8", "a\xff\x9b31mb\xc3", "a\uFFFD\uFFFD31mb\uFFFD"},
		{"a forged question", "\x1b[1A\x1b[2K? Allow rm -rf / [y]", "? Allow rm -rf / [y]"},
	} {
		same(t, c.name, Clean(c.in), c.want)
	}
}

func TestCleanGivesTextBackAfterAnEndlessString(t *testing.T) {
	got := Clean("\x1bP" + strings.Repeat("x", 10_000) + "tail")
	if len(got) < 5000 || !strings.HasSuffix(got, "tail") {
		t.Errorf("an unclosed sequence hid everything: %d bytes left", len(got))
	}
}

// FuzzClean: no escape, no control, valid UTF-8, nothing to clean twice, and the
// same in one piece as in two.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"\x1b[31mRED", "\x1b]0;t\x07x", "\u009b1m", "\xff\x9b", "a\r\nb\r", "\x1bP\n\x1b\\", "\u202e\U000e0041é", "\x1b\x1b[\x1b]"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, at int) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q gave bytes that are no UTF-8: %q", s, got)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || wording.Hidden(r) {
				t.Fatalf("%q kept %U: %q", s, r, got)
			}
		}
		if again := Clean(got); again != got {
			t.Fatalf("%q cleaned twice: %q, then %q", s, got, again)
		}
		at = min(max(at, 0), len(s))
		var c cleaner
		var b strings.Builder
		c.write(&b, []byte(s[:at]))
		c.write(&b, []byte(s[at:]))
		c.end(&b)
		if b.String() != got {
			t.Fatalf("%q cut at %d: %q, whole: %q", s, at, b.String(), got)
		}
	})
}

func TestHeadCutsBetweenCharacters(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "aü", 4: "aü", 6: "aü€", 99: "aü€"} {
		if got := Head("aü€", n); got != want {
			t.Errorf("head(%d) = %q, want %q", n, got, want)
		}
	}
}
