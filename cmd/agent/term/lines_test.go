package term

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	const limit = 8
	big := strings.Repeat("x", 5000)
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"none", "", nil},
		{"one", "a\n", []string{"a"}},
		{"no line end", "a\nb", []string{"a", "b"}},
		{"windows", "a\r\nb\r\n", []string{"a", "b"}},
		{"empty lines", "\n\na\n", []string{"", "", "a"}},
		{"exactly the limit", "12345678\nb\n", []string{"12345678", "b"}},
		{"over the limit", "123456789abc\nb\n", []string{"123456789", "b"}},
		{"far over, in several reads", big + "\nb\n", []string{"xxxxxxxxx", "b"}},
	} {
		l := Lines{bufio.NewReaderSize(strings.NewReader(tt.in), 16), limit}
		var got []string
		for {
			s, err := l.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, s)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}
